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

func (a *runningJobs) begin(job int64) (end func()) {
	a.set(job, time.Time{})
	return func() { a.set(job, time.Now()) }
}

func (a *runningJobs) set(job int64, ended time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.jobs == nil {
		a.jobs = map[int64]time.Time{}
	}
	a.jobs[job] = ended
}

// list returns the jobs that run, and those that ended less than grace
// ago, whose end River may still be writing. It forgets all others.
func (a *runningJobs) list(grace time.Duration) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []int64{} // never nil: in SQL, id <> all(null) is not true
	for job, ended := range a.jobs {
		if !ended.IsZero() && time.Since(ended) > grace {
			delete(a.jobs, job)
			continue
		}
		list = append(list, job)
	}
	return list
}
