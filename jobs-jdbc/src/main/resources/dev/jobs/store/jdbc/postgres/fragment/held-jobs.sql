-- Give the jobs at the spots in "picked" to a worker.
held as (
	{{started-jobs}}
	returning {{job-columns}}
), {{delivered-jobs}}
