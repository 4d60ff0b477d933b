package postgres

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

const nobody = 65534

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else")
	}
}

// A copy of this binary runs the tests that depend on the account again as an ordinary user.
func TestAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	binary := filepath.Join(dir, "cluster.test")
	copyFile(t, os.Args[0], binary)
	tmp := filepath.Join(dir, "tmp")
	require.NoError(t, os.Mkdir(tmp, 0o755))
	require.NoError(t, os.Chown(tmp, nobody, nobody))

	cmd := exec.Command(binary, "-test.v", "-test.run=Reused|Joins|KilledProgram|StalePID/platform")
	cmd.Dir = tmp
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "TMPDIR=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestKilledProgramLeavesNoServer")
	require.NotContains(t, string(out), "--- SKIP")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}

func TestRootsServerRunsAsSomebodyElse(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := folder(t)
	c := start(t, Config{Dir: dir})
	uid, _, ok := account.Owner(filepath.Join(dir, "data"))
	require.True(t, ok)
	require.NotZero(t, uid)
	require.Equal(t, uid, serverUID(t, postmaster(t, dir)))
	require.Equal(t, "1", ask(t, c.URL(), "select '1'"))
}

func serverUID(t *testing.T, pid int) int {
	t.Helper()
	uid, _, ok := account.Owner(filepath.Join("/proc", strconv.Itoa(pid)))
	require.True(t, ok)
	return uid
}

func TestRootRunsWhatAUserMadeAsThatUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := folder(t)
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		require.NoError(t, err)
		return os.Lchown(path, nobody, nobody)
	}))
	start(t, Config{Dir: dir})
	require.Equal(t, nobody, serverUID(t, postmaster(t, dir)))
}

// A folder such as root's home cannot be entered by other accounts, and must not be opened to them.
func TestClosedFolderMovesTheCluster(t *testing.T) {
	t.Parallel()
	needRoot(t)
	closed := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.Mkdir(closed, 0o700))
	require.NoError(t, os.Chown(closed, 54321, 54321))
	lib := filepath.Join(t.TempDir(), "lib")
	var log bytes.Buffer
	cfg := Config{
		Dir:    filepath.Join(closed, "pg"),
		varLib: lib,
		Log:    slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	c := start(t, cfg)
	require.Contains(t, log.String(), "its data is elsewhere")
	require.Contains(t, log.String(), lib)
	exec1(t, c.URL(), "create table kept as select 'still here' as text")
	fi, err := os.Stat(closed)
	require.NoError(t, err)
	require.EqualValues(t, 0o700, fi.Mode().Perm())
	target, err := filepath.EvalSymlinks(filepath.Join(cfg.Dir, "data"))
	require.NoError(t, err)
	require.Contains(t, target, lib)
	c.Stop()
	again := start(t, cfg)
	require.Equal(t, "still here", ask(t, again.URL(), "select text from kept"))
	again.Stop()
	require.Equal(t, 1, strings.Count(log.String(), "its data is elsewhere"), "once, when it moves")
	seen, err := Look(t.Context(), cfg)
	require.NoError(t, err)
	require.True(t, seen.Moved)
	require.Equal(t, target, seen.Data)

	// A folder that was removed and created again is a new cluster.
	require.NoError(t, os.RemoveAll(cfg.Dir))
	require.Equal(t, "0",
		ask(t, start(t, cfg).URL(), "select count(*)::text from pg_tables where tablename = 'kept'"))
}

// A data directory that was copied without the folder that the data had moved to is refused. A new cluster
// there would be empty, and nobody would notice.
func TestALinkWithoutItsFolderIsRefused(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: t.TempDir()}
	to := filepath.Join(t.TempDir(), "cluster-x")
	data := filepath.Join(cfg.Dir, "data")
	require.NoError(t, os.Symlink(filepath.Join(to, "data"), data))
	for _, look := range []func() error{
		func() error {
			_, err := Start(t.Context(), cfg)
			return err
		},
		func() error {
			_, err := Look(t.Context(), cfg)
			return err
		},
	} {
		require.ErrorContains(t, look(), "the database is not here: "+data+" is a link to "+
			to+"/data, which is missing: copy the folder "+to)
	}
	require.NoDirExists(t, to)

	// A first start that was killed leaves the folder without the data, which is then made.
	require.NoError(t, account.MakeOpen(to))
	require.Equal(t, "1", ask(t, start(t, cfg).URL(), "select '1'"))
}

// A systemd unit with DynamicUser has its data below a folder that only root may enter.
func TestRootUsesAServerInAClosedFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := folder(t)
	other := startProgram(t, role{Dir: dir})
	require.NoError(t, os.Chown(dir, 54321, 54321))
	require.NoError(t, os.Chmod(dir, 0o700))
	cfg := Config{Dir: dir, varLib: filepath.Join(t.TempDir(), "lib")}
	require.Equal(t, other.Owner, start(t, cfg).owner)

	other.end(t)
	_, err := Start(t.Context(), cfg)
	require.ErrorContains(t, err, "may not enter "+dir)
	require.ErrorContains(t, err, "start the bot first, and run this beside it")
}

func TestDataOfAnotherAccountIsRefusedByName(t *testing.T) {
	t.Parallel()
	h := home{data: t.TempDir(), as: account.Account{UID: 54321}}
	err := h.checkOwner()
	require.ErrorContains(t, err,
		"belongs to "+account.NameOf(os.Geteuid())+", and this program runs as uid 54321")
	require.ErrorContains(t, err, "BOBBIN_DATA_DIR")
	h.as.UID = os.Geteuid()
	require.NoError(t, h.checkOwner())
}
