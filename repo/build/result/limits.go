package result

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits are the limits of each command of a run.
type Limits struct {
	Time      time.Duration
	Memory    int64 // bytes, of all processes together
	Processes int   // including threads
	Disk      int64 // bytes
	FileSize  int64 // bytes of one file
}

// InWords lists the limits: "10 minutes, 6 GB of memory, 512 processes".
func (l Limits) InWords() string {
	return fmt.Sprintf("%s, %s of memory, %d processes",
		durationInWords(l.Time), gigabytes(l.Memory), l.Processes)
}

// Used is what the commands of a run needed at their peak, as far as it was measured.
type Used struct {
	Memory    int64 // bytes
	Processes int   // including threads
	// Services is the time until the services of a command were ready, if that was more than a second; of all
	// commands together.
	Services time.Duration
	// Killed is the number of processes that the kernel killed, since the run needed more memory than it may.
	// The rest of the run went on.
	Killed int
}

// Add keeps the larger of each peak, and adds up the processes that were killed and the waits for services.
func (u *Used) Add(more Used) {
	u.Memory = max(u.Memory, more.Memory)
	u.Processes = max(u.Processes, more.Processes)
	u.Killed += more.Killed
	u.Services += more.Services
}

// The values of Result.Stopped and of Test.Lacked that name a limit.
const (
	StoppedTime   = "time"
	StoppedMemory = "memory"
	StoppedOutput = "output"
	StoppedDisk   = "disk"
	StoppedFiles  = "files"
	// LackedProcesses is the limit at which no further process or thread can be started. It ends no command.
	LackedProcesses = "processes"
	// LackedFileSize is the limit of the size of one file. It ends the process that writes.
	LackedFileSize = "file size"
)

// StoppedByLimit reports whether the sandbox ended a command since it reached one of its limits. Such a run
// says nothing against a change.
func (r Result) StoppedByLimit() bool { return r.Stopped != "" && r.Stopped != StoppedNear }

// Limited returns the limit that ended the run, or for which single tests of it failed; "" if there is none.
func (r Result) Limited() string {
	switch r.Stopped {
	case StoppedTime, StoppedMemory, StoppedOutput, StoppedDisk, StoppedFiles, LackedFileSize:
		return r.Stopped
	case "":
		for _, t := range r.Tests {
			if t.Lacked != "" {
				return t.Lacked
			}
		}
	}
	return ""
}

// StopReason says in words why a command did not end by itself: "needed more than 2 GB".
func (r Result) StopReason() string {
	switch r.Stopped {
	case StoppedNear:
		return "the rest was not run"
	case StoppedTime:
		return "ran too long: more than " + durationInWords(max(r.Limits.Time, time.Second))
	case StoppedMemory, LackedFileSize:
		return r.Limits.Needed(r.Stopped)
	case StoppedOutput:
		return "printed more than it may"
	case StoppedDisk:
		return "wrote more than " + gigabytes(r.Limits.Disk) + " to the disk"
	case StoppedFiles:
		return "made more files than it may"
	}
	return "was killed before it ended"
}

// Needed says that a run needed more of a limit than it has: "needed more than 2 GB".
func (l Limits) Needed(limit string) string {
	switch {
	case limit == LackedProcesses:
		return fmt.Sprintf("needed more than %d processes", l.Processes)
	case limit == LackedFileSize:
		return "wrote a file of more than " + gigabytes(l.FileSize)
	case l.Memory == 0:
		return "needed more memory than it may"
	}
	return "needed more than " + gigabytes(l.Memory)
}

// StopCure returns the setting that gives the run more of what it lacked, for the configuration of its
// repository: "checks: {memory: 4 GB}". It is empty if nothing was lacking, or no setting helps.
func (r Result) StopCure() string {
	switch lacked := r.Limited(); {
	case lacked == StoppedTime && r.Limits.Time > 0:
		return fmt.Sprintf("checks: {minutes: %d}", max(1, int(2*r.Limits.Time/time.Minute)))
	case lacked == StoppedMemory && r.Limits.Memory > 0:
		return fmt.Sprintf("checks: {memory: %s}", gigabytes(2*r.Limits.Memory))
	case lacked == LackedProcesses && r.Limits.Processes > 0:
		return fmt.Sprintf("checks: {processes: %d}", 2*r.Limits.Processes)
	case lacked == LackedFileSize && r.Limits.FileSize > 0 && r.Limits.FileSize < r.Limits.Disk:
		return fmt.Sprintf("checks: {disk: %s}", gigabytes(r.Limits.Disk))
	case (lacked == StoppedDisk || lacked == LackedFileSize) && r.Limits.Disk > 0:
		return fmt.Sprintf("checks: {disk: %s}", gigabytes(2*r.Limits.Disk))
	}
	return ""
}

// limitNote says what a run lacked that was not ended, and how it ran again.
func (r Result) limitNote() (parts []string) {
	if r.OneWorker {
		parts = append(parts, "one worker at a time, since all at once "+r.Limits.Needed(StoppedMemory))
	}
	counts := map[string]int{}
	for _, t := range r.Tests {
		counts[t.Lacked]++
	}
	for _, limit := range []string{StoppedMemory, LackedProcesses, LackedFileSize} {
		if n := counts[limit]; n > 0 && r.Stopped == "" {
			parts = append(parts, fmt.Sprintf("%d of the failed %s", n, r.Limits.Needed(limit)))
		}
	}
	if cure := r.StopCure(); cure != "" {
		parts = append(parts, "`"+cure+"` of the repository in bobbin.yaml allows more")
	}
	return parts
}

// gigabytes writes a size as settings have it: 2 GB, 512 MB.
func gigabytes(n int64) string {
	if n >= 1<<30 {
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64), ".0") + " GB"
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// durationInWords writes a time limit: 10 minutes, 90 seconds.
func durationInWords(d time.Duration) string {
	if d%time.Minute == 0 {
		return plaintext.CountNoun(int(d/time.Minute), "minute")
	}
	return plaintext.CountNoun(int(d/time.Second), "second")
}
