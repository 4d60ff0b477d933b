package transfer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/stretchr/testify/require"
)

// FuzzAdvertised checks that only branches and tags with names that git allows are kept of what a remote
// advertises, and that the default branch is one of them.
func FuzzAdvertised(f *testing.F) {
	line := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	const h1, h2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	for _, seed := range []string{
		line(h1+" HEAD\x00symref=HEAD:refs/heads/main agent=git/2\n") + line(h1+" refs/heads/main\n") + line(h2+" refs/tags/v1\n") + "0000",
		line(h1+" refs/heads/../../etc\x00 \n") + line(h2+" refs/pull/1/head\n") + "0000",
		line(h1+" HEAD\x00symref=HEAD:refs/heads/-x\n") + line(h1+" refs/heads/-x\n") + "0000",
		line("0000000000000000000000000000000000000000 capabilities^{}\x00x\n") + "0000", "0000", "zzzz", "0004", "",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		adv := packp.NewAdvRefs()
		if err := adv.Decode(bytes.NewReader(raw)); err != nil {
			return
		}
		kept := readAdvertised(adv)
		for name := range kept.Hashes {
			require.NoError(t, plumbing.ReferenceName(name).Validate())
			require.True(t, strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/"), name)
		}
		if kept.Head != "" {
			require.Contains(t, kept.Hashes, "refs/heads/"+kept.Head)
		}
		at := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, kept.Write(at))
		again, err := ReadRefs(at)
		require.NoError(t, err)
		require.Equal(t, kept.Hashes, again.Hashes, "what is written is read again")
		require.Equal(t, kept.Head, again.Head)
	})
}
