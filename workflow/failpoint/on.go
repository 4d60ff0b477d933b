//go:build failpoints

package failpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Crash ends or freezes the process if CrashVar names the point and it is reached for
// the time that is given there.
func Crash(name string) {
	number, listed := value(CrashVar, name+":")
	if !listed {
		return
	}
	hit, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(err)
	}
	counts := filepath.Join(os.Getenv(CountsVar), name)
	count, err := os.OpenFile(counts, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer count.Close()
	count.WriteString(".")
	if info, err := count.Stat(); err != nil || info.Size() < hit {
		return
	}
	at, err := os.OpenFile(os.Getenv(StoppedVar), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return // another point was first
	}
	at.WriteString(name)
	at.Close()
	if os.Getenv(FreezeVar) != "" {
		// By its own thread, which goes no step further before somebody wakes it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGSTOP)
		return
	}
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// Wait returns the time that WaitsVar gives for the wait, or the usual time.
func Wait(name string, usual time.Duration) time.Duration {
	text, listed := value(WaitsVar, name+"=")
	if !listed {
		return usual
	}
	wait, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return wait
}

// Disabled reports whether DisabledVar lists the guard.
func Disabled(guard string) bool {
	return slices.Contains(strings.Fields(os.Getenv(DisabledVar)), guard)
}

// value returns what follows the prefix in one of the words of an environment variable.
func value(variable, prefix string) (text string, found bool) {
	for _, word := range strings.Fields(os.Getenv(variable)) {
		if text, found := strings.CutPrefix(word, prefix); found {
			return text, true
		}
	}
	return "", false
}
