package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A hostile is a row of these tests: a hostile repository, what its commands leave in the files, and how
// Bobbin has to answer. line is the name of its entry in the list of bad inputs.
type hostile struct {
	line, name string
	tree       func(l *lab) files         // the main branch
	build      func(l *lab)               // in place of tree, if git does not make such a tree from files
	arrive     func(l *lab, dir string)   // leaves in the files what commands may leave there
	play       func(t testing.TB, l *lab) // checks besides the ordinary work
	caches     bool                       // commands get build caches
	refused    string                     // the error, if the repository is not opened at all
	// naive is the control: in a clone made by the git program, with the files of arrive, it does what people
	// usually do. The detector finds has to detect it.
	naive func(l *lab, dir string)
	finds string
}

// whole also tests sizes that keep a machine busy for a while.
var whole = os.Getenv("BOBBIN_HOSTILE") == "all"

func hostiles() []hostile {
	return slices.Concat(hostileSettings(), hostileGits(), hostileRenames(), hostileTrees(), hostileNames(),
		hostileFiles(), hostilePlain(), hostileCode(), hostileRemotes(), hostilePushes())
}

// elsewhere names the tests for the lines of the list that need no repository here, or more than a workspace.
var elsewhere = map[string]string{
	"R17": "cmd/bobbin, the injections",
	"R22": "cmd/bobbin, the injections",
	"R21": "cmd/bobbin, TestScript/secret_in_repository",
}

func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	for _, row := range hostiles() {
		t.Run(row.line+" "+row.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.caches = row.caches
			row.make(l)
			if err := l.open("main"); row.refused != "" {
				require.ErrorContains(t, err, row.refused)
				require.NotContains(t, err.Error(), "\n")
				require.Empty(t, l.found())
				l.goesOn()
				return
			} else {
				require.NoError(t, err)
			}
			if row.arrive != nil {
				row.arrive(l, l.env.Workspace.Files())
				require.NoError(t, l.env.Sandbox.Own(l.env.Workspace.Files()))
			}
			if row.play != nil {
				row.play(t, l)
			}
			l.work()
			l.safe()
			if whole {
				l.modest()
			}
		})
	}
}

// The control of each detector and each answer: if the same repository is handled in the usual way, the
// detector has to find it.
func TestHostileRepositoriesAreHostile(t *testing.T) {
	t.Parallel()
	for _, row := range hostiles() {
		if row.naive == nil {
			continue
		}
		t.Run(row.line+" "+row.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			row.make(l)
			dir := l.checkout()
			if row.arrive != nil {
				row.arrive(l, dir)
			}
			require.Empty(t, l.found())
			row.naive(l, dir)
			require.Contains(t, l.found(), row.finds, "nobody noticed, so the row shows nothing")
		})
	}
}

func TestEveryHostileLineIsPlayed(t *testing.T) {
	t.Parallel()
	played := map[string]bool{}
	controls := 0
	repositories := 0
	for _, row := range hostiles() {
		played[row.line] = true
		repositories++
		if row.naive != nil {
			controls++
		}
	}
	wanted := []string{"G4", "G5", "T1", "T14", "T16"}
	for i := range 24 {
		wanted = append(wanted, fmt.Sprint("R", i+1))
	}
	for _, line := range wanted {
		require.True(t, played[line] != (elsewhere[line] != ""), line)
	}
	require.GreaterOrEqual(t, repositories, 24)
	t.Logf("%d repositories, %d with a control", repositories, controls)
}

func (h hostile) make(l *lab) {
	switch {
	case h.build != nil:
		h.build(l)
	case h.tree != nil:
		l.commit("main", h.tree(l))
	default:
		l.commit("main", nil)
	}
}

// goesOn opens a harmless branch of a repository that was refused, with the same mirrors.
func (l *lab) goesOn() {
	l.t.Helper()
	l.commit("decent", nil)
	m, err := l.mirrors.Open(l.t.Context(), l.asked())
	require.NoError(l.t, err)
	require.NoError(l.t, m.Fetch(l.t.Context()))
	l.env, err = l.session(m, "decent", "decent")
	require.NoError(l.t, err)
	require.Contains(l.t, l.ask("read_file", args{"path": "app.txt"}), "price = 1")
	require.Contains(l.t, l.ask("run", args{"command": "cat app.txt"}), "exit code 0")
	l.safe()
}

// settings makes a git directory in dir, or uses the one that is there, and appends lines to its
// configuration.
func (l *lab) settings(dir string, lines ...string) {
	l.t.Helper()
	l.git("", "init", "-q", "--template=", dir)
	l.settingsOf(filepath.Join(dir, ".git", "config"), lines...)
}

func (l *lab) settingsOf(file string, lines ...string) {
	l.t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(l.t, err)
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	require.NoError(l.t, err)
	require.NoError(l.t, f.Close())
}
