package workflow

import "fmt"

// Category is a kind of worker that the orchestrator delegates to.
type Category string

// The categories.
const (
	CategoryQuick  Category = "quick"
	CategoryDeep   Category = "deep"
	CategoryVisual Category = "visual-engineering"
)

// TaskState is the state of a task.
type TaskState string

// The states of a task.
const (
	TaskOpen    TaskState = "open"
	TaskWorking TaskState = "working"
	TaskDone    TaskState = "done"    // its verification held
	TaskBlocked TaskState = "blocked" // the worker said why it cannot go on
	TaskFailed  TaskState = "failed"  // its last attempt's verification failed
	// failed, and another task took its work up, people were asked, or the work was pushed
	TaskDropped TaskState = "dropped"
	TaskClashes TaskState = "clashes" // verified in its own tree, but others changed the same lines
)

// A Task is a unit of work that the orchestrator delegated.
type Task struct {
	ID          int64
	Session     string
	Number      int // 1, 2, … within the session
	Description string
	// the description as people are shown it: in one line, with secrets masked
	DisplayText string
	Category    Category
	Skill       string
	After       []int // numbers of tasks that must be done first
	State       TaskState
	Summary     string // the worker's own words when it ended
	Plan        int    // number of the plan's task that it does; 0: none
	Revision    int    // revision under whose approval it was delegated; Plan is of that revision's plan
	Failures    int    // failed attempts at it, and at earlier tasks whose work it takes up
	StartTree   string // tree of files that it began with; empty for a failed task of pushed work
	Tree        string // tree of files that was verified
	Apart       bool   // it works in a separate tree, which is merged after it is verified
}

// TreeOwner returns the id of the task whose fork t works in. It is 0 for the session's own workspace, in
// which nil works, too: the work as a whole.
func (t *Task) TreeOwner() int64 {
	if t != nil && t.Apart {
		return t.ID
	}
	return 0
}

// Label returns how the task's category is shown in a list of tasks: [deep + tdd skill].
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
	Tree    string // tree that was verified
	Held    bool
	Summary string // figures, or what failed
	Diff    string // the change that was verified, cut if it is long
}
