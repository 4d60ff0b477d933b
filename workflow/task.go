package workflow

import (
	"encoding/json"
	"fmt"
)

// Category is a kind of worker that the orchestrator delegates to.
type Category string

// The categories.
const (
	CategoryQuick  Category = "quick"
	CategoryDeep   Category = "deep"
	CategoryVisual Category = "visual-engineering"
)

// TaskState is where a task stands.
type TaskState string

// The states of a task.
const (
	TaskOpen    TaskState = "open"
	TaskWorking TaskState = "working"
	TaskDone    TaskState = "done"    // its verification held
	TaskBlocked TaskState = "blocked" // the worker said why it cannot go on
	TaskFailed  TaskState = "failed"  // its last attempt's verification failed
	TaskDropped TaskState = "dropped" // failed, and another took its work up or people were asked
	TaskClashes TaskState = "clashes" // verified in its own tree, but others changed the same lines
)

// A Task is a unit of work that the orchestrator delegated.
type Task struct {
	ID          int64
	Session     string
	Number      int // 1, 2, … within the session
	Description string
	Shown       string // the description as people are shown it: in one line, with secrets masked
	Category    Category
	Skill       string
	After       []int // numbers of tasks that must be done first
	State       TaskState
	Summary     string // the worker's own words when it ended
	Plan        int    // number of the plan's task that it is; 0: of none
	Failures    int    // failed attempts at it, and at those before it whose work it takes up
	StartTree   string // the files it began with
	Tree        string // the files it was verified with
	Apart       bool   // it works in a tree of its own, which is merged when it is verified
}

// Label is how the task's category is shown in a list of tasks: [deep + tdd skill].
func (t Task) Label() string {
	if t.Skill == "" {
		return fmt.Sprintf("[%s]", t.Category)
	}
	return fmt.Sprintf("[%s + %s skill]", t.Category, t.Skill)
}

// An Attempt is edits followed by a verification that the program ran.
type Attempt struct {
	Task    int64
	Number  int
	Tree    string // what was verified
	Held    bool
	Summary string // figures, or what failed
	Diff    string // what was verified, cut where it is long
}

// An Item is one entry of an agent's transcript: a message to or from the model, kept
// as JSON so that this package need not know the model's types.
type Item struct {
	Seq  int64
	Task int64 // 0 for the orchestrator
	Body json.RawMessage
}
