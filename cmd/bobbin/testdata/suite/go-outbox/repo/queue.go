package outbox

import (
	"sort"
	"time"
)

// A Queue has the letters that wait.
type Queue struct {
	letters []Letter
	nextID  int
}

// Add queues a letter.
func (q *Queue) Add(to, text string, now time.Time) Letter {
	q.nextID++
	l := Letter{ID: q.nextID, To: to, Text: text, Due: now}
	q.letters = append(q.letters, l)
	return l
}

// Put puts a letter back.
func (q *Queue) Put(l Letter) {
	q.letters = append(q.letters, l)
}

// Len is how many letters wait.
func (q *Queue) Len() int { return len(q.letters) }

// Letters are those that wait, in the order in which they were queued.
func (q *Queue) Letters() []Letter {
	all := append([]Letter(nil), q.letters...)
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

// TakeDue takes out the letters that are due, the longest waiting first.
func (q *Queue) TakeDue(now time.Time) []Letter {
	sort.Slice(q.letters, func(i, j int) bool { return q.letters[i].Due.Before(q.letters[j].Due) })
	n := sort.Search(len(q.letters), func(i int) bool { return q.letters[i].Due.After(now) })
	due := q.letters[:n:n]
	q.letters = q.letters[n:]
	return due
}
