-- Whether a job has a tag, as the index of tags is defined.
j.headers like '%"jobs.tags":%'
and string_to_array(j.headers::json ->> 'jobs.tags', ',') @> array[?::text]
