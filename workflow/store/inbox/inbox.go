// Package inbox keeps what comes from Slack: it binds each message to the session of its
// thread, or makes one, and queues a turn.
//
// Receive is one transaction, and the caller acknowledges the event after it. A message is
// kept once, by its event and by its place in the channel. A Reader is what agents and the
// program read of one session's messages. What becomes of them is recorded by the parts of
// this package: Handled, Passed, Attachments and others.
package inbox

import (
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// An Inbox takes in what comes from Slack. It is safe for concurrent use.
type Inbox struct {
	db    *database.DB
	queue *queue.Queue

	// Name signs what is said of alerts; empty: the orchestrator's own.
	Name string
}

// New is the inbox in the database; jobs is where turns are queued.
func New(db *database.DB, jobs *queue.Queue) *Inbox { return &Inbox{db: db, queue: jobs} }
