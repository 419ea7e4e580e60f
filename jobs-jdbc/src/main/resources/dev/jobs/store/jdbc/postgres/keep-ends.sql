-- Keep the ends of jobs that have moved.
{{insert-ends}}
{{replace-ends}}
returning id
