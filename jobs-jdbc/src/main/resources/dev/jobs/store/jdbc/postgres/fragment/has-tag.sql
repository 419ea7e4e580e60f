-- Whether a job has a tag, written like the definition of the tag index.
j.headers like '%"jobs.tags":%'
and string_to_array(j.headers::json ->> 'jobs.tags', ',') @> array[?::text]
