package initproc

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// FuzzReport checks that for any bytes from inside, the outcome is an exit code, a killed command, or an
// error.
func FuzzReport(f *testing.F) {
	for _, seed := range []string{`{"Started":true}` + "\n" + `{"Code":3}`, `{"Started":true}`, `{"Error":"no"}`, `{"Started":true}{"Error":"later"}`, ``, `[`, `{"Code":"x"}`, `{"Started":true,"Code":1e99}`, "\x00"} {
		f.Add([]byte(seed))
	}
	truth := exec.Command("true")
	require.NoError(f, truth.Run())
	f.Fuzz(func(t *testing.T, said []byte) {
		if len(said) > 16<<10 { // the capacity of a pipe is larger, so the write does not block
			return
		}
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = w.Write(said)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		got, err := readReport(r, truth.ProcessState)
		if err != nil {
			require.Equal(t, backend.Outcome{}, got)
		}
		require.True(t, !got.Killed || got.Code == backend.CodeKilled)
	})
}
