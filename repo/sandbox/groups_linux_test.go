package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"
)

// A command starts in its version 2 group, is killed with all processes of the group, and the group is
// removed afterwards. The tree contains only files of the kernel.
func TestCommandsAreInAGroupOfVersion2(t *testing.T) {
	groups, dir := cgroup.FindUnified()
	if groups == nil {
		return // no such group here, or not allowed
	}
	everyKind(t, func(t *testing.T, s *Sandbox) {
		in := *s
		in.groups = groups
		where := func(s *Sandbox) string {
			m := newMark()
			c := s.Command(workspace(t, s), "sh", "-c", "echo up; sleep "+string(m)+"; :") // the shell stays: a process has no arguments for a moment while it executes another program
			up := make(writes, 8)
			c.Stdout = up
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx) }()
			<-up
			procs, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("bobbin-*.%d-*/cgroup.procs", os.Getpid())))
			found := ""
			for _, g := range procs {
				procs, _ := os.ReadFile(g)
				for _, pid := range strings.Fields(string(procs)) {
					if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), string(m)) {
						found = filepath.Dir(g)
					}
				}
			}
			if found != "" {
				require.NoError(t, os.WriteFile(filepath.Join(found, "cgroup.kill"), []byte("1"), 0))
				require.Equal(t, "killed", reason(t, <-ended))
				require.NoDirExists(t, found)
			} else {
				cancel()
				<-ended
			}
			return found
		}
		require.NotEmpty(t, where(&in))
		bare := *s
		bare.groups = nil
		require.Empty(t, where(&bare))
	})
}
