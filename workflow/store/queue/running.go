package queue

import (
	"sync"
	"time"
)

// runningJobs holds the jobs that this process runs. It is more reliable than
// the queue's rows: River gives up reporting the end of a job when Postgres is
// unavailable for some seconds, and the row would say "running" for an hour.
type runningJobs struct {
	mu   sync.Mutex
	jobs map[int64]time.Time // zero: it runs; else when it ended
}

func (r *runningJobs) begin(job int64) (end func()) {
	r.set(job, time.Time{})
	return func() { r.set(job, time.Now()) }
}

func (r *runningJobs) set(job int64, ended time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs == nil {
		r.jobs = map[int64]time.Time{}
	}
	r.jobs[job] = ended
}

// list returns the jobs that run, and those that ended less than grace
// ago, whose end River may still be writing. It forgets all others.
func (r *runningJobs) list(grace time.Duration) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []int64{} // never nil: in SQL, id <> all(null) is not true
	for job, ended := range r.jobs {
		if !ended.IsZero() && time.Since(ended) > grace {
			delete(r.jobs, job)
			continue
		}
		list = append(list, job)
	}
	return list
}
