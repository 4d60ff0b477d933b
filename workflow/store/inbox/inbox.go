// Package inbox stores what comes from Slack: it binds each message
// to the session of its thread, or begins one, and queues a turn.
//
// Receive is one transaction, and the caller acknowledges the event after it. A message
// is stored once, by its event id and by its ts in the session. A Reader returns what
// agents and the program read of one session's messages. The parts of this package
// (Handled, Passed, Attachments and others) store what becomes of the messages.
//
// It also stores about which problems apps posted alerts, with one session for each problem. Later alerts
// about a problem are counted in one line of its thread, which is rewritten. They queue no turn, and so cost
// no model call. If an alert comes again after the fix, that is said once, and begins nothing. A channel
// begins a limited number of sessions in an hour. At the first problem beyond that, one line says so, and all
// further ones are counted. One that comes again in a later hour begins a session then.
package inbox

import (
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// An Inbox stores what comes from Slack. It is safe for concurrent use.
type Inbox struct {
	db    *database.DB
	queue *queue.Queue

	// Name signs the lines about alerts; empty: orchestrator.
	Name string
	// Words are those by which a message stops running work; the zero value has the built-in ones.
	Words intent.Lexicon
}

// New returns the inbox of the database, which queues turns in jobs. It loads the words by which messages are
// read, so that no transaction waits for that: the database ends one that is idle for four seconds.
func New(db *database.DB, jobs *queue.Queue) *Inbox {
	intent.LoadWords()
	return &Inbox{db: db, queue: jobs}
}
