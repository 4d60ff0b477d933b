package process

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The first thread of the process stays in the process's control group. In another group, the program's own
// memory would be counted as the command's, and new groups would be created below that group.
func TestTheFirstThreadStartsNothing(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { OnNewThread(func() { require.False(t, unix.Gettid() == os.Getpid()); runtime.Gosched() }) })
	}
	all.Wait()
}
