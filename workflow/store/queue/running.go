package queue

import (
	"sync"
	"time"
)

// runningJobs are the jobs that this process has in hand. It knows better than the queue's
// rows: the queue gives up saying that a job ended when Postgres is away for some seconds,
// and the row would say "running" for an hour.
type runningJobs struct {
	mu   sync.Mutex
	jobs map[int64]time.Time // zero: in hand; else when it was put down
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

// list are the jobs in hand, and those that were put down less than grace ago, whose end
// the queue may still be writing. Others are forgotten.
func (a *runningJobs) list(grace time.Duration) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []int64{} // never null: nothing is unlike all of null
	for job, ended := range a.jobs {
		if !ended.IsZero() && time.Since(ended) > grace {
			delete(a.jobs, job)
			continue
		}
		list = append(list, job)
	}
	return list
}
