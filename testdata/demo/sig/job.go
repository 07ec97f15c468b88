package sig

// Job is a piece of work.
type Job interface {
	Run(a int) int
}

// adder is the one kind of [Job].
type adder struct {
	by int
}

// Run returns a, moved.
func (j adder) Run(a int) int {
	return a + j.by
}

// NewJob returns a job that adds by.
func NewJob(by int) Job {
	return adder{by: by}
}

// RunAll hands the result of each job to the next one.
func RunAll(jobs ...Job) int {
	total := 0
	for _, job := range jobs {
		total = job.Run(total)
	}
	return total
}
