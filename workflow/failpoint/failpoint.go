// Package failpoint is the seam of the tests that kill the built program: places in the code at which the
// program can be made to crash or freeze, waits that can be made shorter or longer, and guards that can be
// switched off so that a test shows what they prevent.
//
// Only a program that was built with the tag failpoints has them, and it reads them from the environment
// variables below. In every other build Crash does nothing, Wait returns the usual time, Disabled returns
// false, and the compiler leaves nothing of a call.
package failpoint

// The environment variables of a program with fail points.
const (
	// CrashVar lists the crash points at which a process may stop, as NAME:HIT with spaces between them: it
	// stops when the point was reached that often, by this process and those before it. A process stops once.
	CrashVar = "BOBBIN_CRASH"
	// CountsVar is the folder with the files in which the processes count how often they reached each point.
	CountsVar = "BOBBIN_CRASH_COUNTS"
	// StoppedVar is the file in which a process that stops writes the name of the point.
	StoppedVar = "BOBBIN_CRASH_AT"
	// FreezeVar makes processes freeze instead of crash, until somebody wakes them.
	FreezeVar = "BOBBIN_CRASH_FREEZE"
	// WaitsVar lists waits and what they are instead, as NAME=DURATION with spaces between them.
	WaitsVar = "BOBBIN_WAITS"
	// DisabledVar lists the guards that are switched off, with spaces between them.
	DisabledVar = "BOBBIN_DISABLED"
)

// The waits that a test can change.
const (
	ReplyPace       = "reply_pace"        // between two replies in a channel
	PostingSettle   = "posting_settle"    // before a posting that was tried is looked up
	PullRequestPace = "pull_request_pace" // between two looks at a new pull request
	DrainTime       = "drain_time"        // for work in progress, when the program is told to stop
	ReplicaDead     = "replica_dead"      // after the last heartbeat of a replica, until others take over
)

// The guards that a test can switch off.
const (
	DiskErrors  = "disk_errors"  // disk errors are told apart from faults of the repository
	InsertClock = "insert_clock" // new jobs get the database's time, not the machine's
	QueueClock  = "queue_clock"  // jobs that are put back get the database's time
	HostJob     = "host_job"     // issues and pull requests are made only while the job is the worker's
)
