package kills

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// A smallDiskRun is a run with one replica whose mirrors, sessions and cache are on separate small disks. The
// replica runs in a mount namespace, so the disks exist only for it.
type smallDiskRun struct {
	*chaos
	replica *replicaProcess

	mu    sync.Mutex
	gates map[string]*gate // by session and tool
}

// A gate holds back a tool call of the model until it is opened.
type gate struct {
	reached, open chan struct{}
	once          sync.Once
}

// smallDisks are the folders in the data directory that are on small disks.
var smallDisks = []string{"mirrors", "sessions", "cache"}

func newTight(t *testing.T, sessions int, binary string, env ...string) *smallDiskRun {
	m := &smallDiskRun{
		chaos: &chaos{t: t, seed: 1, sessions: sessions, replicas: 1, binary: binary},
		gates: map[string]*gate{},
	}
	m.open()
	server := httptest.NewServer(http.HandlerFunc(m.ask))
	t.Cleanup(server.Close)
	m.model = server.URL
	enter := "unshare -m"
	if os.Geteuid() != 0 {
		enter = "unshare -Urm"
	}
	script := "#!/bin/sh\nexec " + enter + " sh -ec '\n"
	for _, d := range smallDisks {
		script += fmt.Sprintf("mkdir -p %[1]s; mount -t tmpfs -o size=4m,mode=755 tmpfs %[1]s\n",
			filepath.Join(m.dir, "data-0", d))
	}
	try := filepath.Join(m.dir, "try")
	require.NoError(t, remotetest.WriteProgram(try, script+"'\n"))
	if out, err := exec.Command(try).CombinedOutput(); err != nil {
		t.Skipf("a disk of its own may not be mounted here: %v: %s", err, out)
	}
	// A build command makes the proof need disk space, too.
	script += "sed -i \"s/base: main/base: main, checks: {build: sync}/\" " +
		filepath.Join(m.dir, "bobbin.yaml") + "\n"
	// Writes to the log fail for lack of space, too.
	script += "exec \"$@\" 2>/dev/full' sh " + m.binary + " \"$@\"\n"
	m.binary = filepath.Join(m.dir, "tight")
	require.NoError(t, remotetest.WriteProgram(m.binary, script))
	m.replica = &replicaProcess{data: "data-0", env: env}
	m.running = []*replicaProcess{m.replica}
	m.start(m.replica)
	return m
}

// ask answers as FixNumberedBug does, after the gate for that session and tool has opened.
func (s *smallDiskRun) ask(w http.ResponseWriter, r *http.Request) {
	asked, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	name, args := chatmodel.FixNumberedBug(asked)
	if found := chatmodel.BugNumber.FindSubmatch(asked.Body); found != nil {
		s.mu.Lock()
		g := s.gates[string(found[1])+" "+name]
		s.mu.Unlock()
		if g != nil {
			g.once.Do(func() { close(g.reached) })
			<-g.open
		}
	}
	asked.Answer(w, name, args)
}

// before returns a gate for the model's call of a tool in a session.
func (s *smallDiskRun) before(session int, tool string) *gate {
	g := &gate{reached: make(chan struct{}), open: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gates[fmt.Sprintf("%d %s", session, tool)] = g
	return g
}

// disk returns the path of the replica's disk as seen from outside its mount namespace.
func (s *smallDiskRun) disk(name string) string {
	return filepath.Join("/proc", fmt.Sprint(s.replica.cmd.Process.Pid), "root", s.dir, "data-0", name)
}

// fill writes a file until the disk is full.
func (s *smallDiskRun) fill(name string) {
	f, err := os.Create(filepath.Join(s.disk(name), "filling"))
	require.NoError(s.t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		require.ErrorIs(s.t, err, syscall.ENOSPC)
	}
}

func (s *smallDiskRun) free(name string) {
	require.NoError(s.t, os.Remove(filepath.Join(s.disk(name), "filling")))
}

// remount makes a disk read-only ("ro") or writable again ("rw").
func (s *smallDiskRun) remount(name, how string) {
	out, err := exec.Command("nsenter", "-m", "-t", fmt.Sprint(s.replica.cmd.Process.Pid), "mount", "-o",
		"remount,"+how, filepath.Join(s.dir, "data-0", name)).CombinedOutput()
	require.NoError(s.t, err, string(out))
}

func (s *smallDiskRun) request(session int) {
	root, err := s.slack.Say(s.places[session].Channel, s.ann,
		fmt.Sprintf("%s bug %d", s.slack.Mention(), session), "")
	require.NoError(s.t, err)
	s.places[session].Root = root
}

func (s *smallDiskRun) reply(session int, text string) {
	p := s.places[session]
	_, err := s.slack.Say(p.Channel, s.ann, text, p.Root)
	require.NoError(s.t, err)
}

// waitPosted waits until the bot has posted words the given number of times in a thread.
func (s *smallDiskRun) waitPosted(session int, words string, times int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.posted(s.places[session], words) >= times },
		harness.StepTimeout, 20*time.Millisecond, "session %d: %s\n%s",
		session, words,
		later(func() string { return s.slack.ExportText(s.places[session].Channel, s.places[session].Root) }))
	require.Equal(s.t, times, s.posted(s.places[session], words))
}

// later is a message that is computed only when it is printed.
type later func() string

// String computes the message.
func (l later) String() string { return l() }

// paused waits until a session is paused, not failed.
func (s *smallDiskRun) paused(ctx context.Context, session int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var phase string
		err := s.db.QueryRow(ctx, `select phase from sessions where channel = $1`,
			s.places[session].Channel).Scan(&phase)
		return err == nil && phase == "paused"
	}, harness.StepTimeout, 20*time.Millisecond)
}

const fullWords = "The disk of the machine I run on is full, so I stopped in the middle. " +
	"Nothing that I had kept is lost. My operator frees space there; reply here then, and I go on."

// A full disk leads to one clear line, wherever it is met. Sessions whose files are elsewhere continue, and
// with space again a reply continues the work up to the push.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), harness.RunTimeout)
	defer cancel()
	m := newTight(t, 4, "")
	defer m.stop()
	require.NoError(t, m.slack.WaitConnected(ctx, 1))

	// There is no space for a mirror.
	m.fill("mirrors")
	m.request(0)
	m.waitPosted(0, fullWords, 1)
	m.paused(ctx, 0)
	m.reply(0, "and now?")
	m.waitPosted(0, fullWords, 2)
	m.free("mirrors")
	m.reply(0, "go on")
	m.waitPosted(0, "· revision 1", 1)

	// The mirror exists. A session that needs nothing new in it continues.
	m.fill("mirrors")
	m.reply(0, "fix it")
	m.waitPosted(0, "and pushed:", 1)
	m.free("mirrors")

	// There is no space for a session's files, when they are opened and during a command.
	m.fill("sessions")
	m.request(2)
	m.waitPosted(2, fullWords, 1)
	m.free("sessions")
	m.reply(2, "go on")
	m.waitPosted(2, "· revision 1", 1)
	command := m.before(2, "run")
	m.reply(2, "fix it")
	m.whileHeld(command, func() { m.fill("sessions") })
	m.waitPosted(2, fullWords, 2)
	m.free("sessions")
	m.reply(2, "go on")
	m.waitPosted(2, "and pushed:", 1)

	// The disk becomes read-only during an edit.
	m.request(3)
	m.waitPosted(3, "· revision 1", 1)
	edit := m.before(3, "edit_file")
	m.reply(3, "fix it")
	m.whileHeld(edit, func() { m.remount("sessions", "ro") })
	m.waitPosted(3,
		"The disk of the machine I run on cannot be written to any more, so I stopped in the middle.", 1)
	m.remount("sessions", "rw")
	m.reply(3, "go on")
	m.waitPosted(3, "and pushed:", 1)

	// The disks are full during the proof.
	m.request(1)
	m.waitPosted(1, "· revision 1", 1)
	done := m.before(1, "done")
	m.reply(1, "fix it")
	m.whileHeld(done, func() {
		m.fill("sessions")
		m.fill("cache")
	})
	m.waitPosted(1, fullWords, 1)
	m.free("sessions")
	m.reply(1, "go on")
	m.waitPosted(1, fullWords, 2)
	m.free("cache")
	m.reply(1, "go on")
	m.waitPosted(1, "and pushed:", 1)

	// Only the line about the disk appears twice, in three sessions.
	require.Equal(t, "lines said twice: 3, want 0", m.faults(ctx))
	var again int
	require.NoError(t, m.db.QueryRow(ctx, `select count(*) from (select text from lines
		where text <> $1 group by session_id, text having count(*) > 1) x`, fullWords).Scan(&again))
	require.Zero(t, again)
}

// The control: a program that does not recognise disk errors blames the repository.
func TestFullDiskIsFoundOutWithoutItsWords(t *testing.T) {
	t.Parallel()
	binary := withPoints(t) // built by the first test that needs it
	ctx, cancel := context.WithTimeout(t.Context(), 2*harness.StepTimeout)
	defer cancel()
	m := newTight(t, 1, binary, failpoint.DisabledVar+"="+failpoint.DiskErrors)
	defer m.stop()
	require.NoError(t, m.slack.WaitConnected(ctx, 1))
	m.fill("mirrors")
	m.request(0)
	m.waitPosted(0, "I cannot get at the repository", 1)
	require.Zero(t, m.posted(m.places[0], fullWords))
}

// whileHeld waits until the model reaches the gate, calls do, and opens the gate.
func (s *smallDiskRun) whileHeld(g *gate, do func()) {
	select {
	case <-g.reached:
	case <-time.After(harness.StepTimeout):
		require.Fail(s.t, "the model was never there")
	}
	do()
	close(g.open)
}
