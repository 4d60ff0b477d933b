package badinputs

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// A badBench is the room of repositories and tools. Each case has its own workspace on a real mirror, and
// calls tools by name with JSON, as the agent loop does. Commands run in this machine's sandbox. The verbs of
// a step are:
//
//	file PATH TEXT           in the setup: a file of the remote
//	entry MODE NAME TEXT     a raw entry of a tree, of a remote that holds only these entries
//	opens | unopened TEXT    whether a workspace can be made of that tree
//	put PATH TEXT, symlink PATH TARGET, hardlink PATH TARGET, pipe PATH, socket PATH, sparse PATH BYTES,
//	folder PATH, many PATH N, remove PATH
//	                         changes the workspace without the tools
//	call TOOL JSON           calls a tool in this workspace
//	other TOOL JSON          calls a tool in a second workspace on the same mirror
//	ok TEXT | refused TEXT   whether the call succeeded, and a part of its answer
//	says TEXT, lacks TEXT, below BYTES, holds PATH TEXT
//	changes TEXT, unchanged TEXT, changes-nothing
//	                         the changes of a commit of the workspace
//	writes PATH              the case may change that path
//	off REASON               there is no sandbox
//
// After every call it also checks that the answer has no canary, no path of this machine, no control
// character, no incomplete character and not more than longestAnswer bytes; and that nothing changed in the
// workspace but what the case names. At the end of a case a file must still be readable, and at the end of
// the room nothing may have changed outside.
type badBench struct {
	t       *testing.T
	off     string
	dir     string
	outside string // folder outside of the workspaces, where nothing may be read or written
	sandbox *sandbox.Sandbox
}

// badCanary is the content of files that no answer may show.
const badCanary = "canary-8c31f0"

// longestAnswer is the limit of a tool's answer in bytes, with some margin.
const longestAnswer = 120 << 10

func playAtTheBench(t *testing.T, batches []*badBatch, off string) {
	dir := harness.Dir(t)
	var err error
	b := &badBench{t: t, off: off, dir: dir, outside: filepath.Join(dir, "outside")}
	require.NoError(t, os.Mkdir(b.outside, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(b.outside, "secret.txt"), []byte(badCanary+"\n"), 0o644))
	b.sandbox, err = sandbox.Open(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(b.outside, "copy.txt"), []byte("copied\n"), 0o644))
	before := b.lookAround(b.outside)
	var all errgroup.Group
	all.SetLimit(4)
	for n, batch := range batches {
		all.Go(func() error { return b.playBatch(n, batch) })
	}
	require.NoError(t, all.Wait())
	require.Equal(t, before, b.lookAround(b.outside), "something was written outside")
}

// playBatch plays the cases of a batch, each in its own workspaces.
func (b *badBench) playBatch(n int, batch *badBatch) error {
	dir := filepath.Join(b.dir, strconv.Itoa(n))
	origin := filepath.Join(dir, "origin.git")
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler), Git: "-"}
	defer mirrors.Close()
	files := []txtar.File{
		{Name: "ok.txt", Data: []byte("fine\n")},
		{Name: "dir/inner.txt", Data: []byte("inner\n")},
	}
	for _, s := range batch.setup {
		if s.verb != "file" {
			return fmt.Errorf("%s:%d: no such setup: %s", batch.name, s.at, s.verb)
		}
		name := s.word()
		files = append(files, txtar.File{Name: name, Data: []byte(s.text())})
	}
	if err := stage.PlantRemote(origin, files); err != nil {
		return err
	}
	mirror, err := mirrors.Open(b.t.Context(), remote.Remote{Name: "shop", URL: origin})
	if err != nil {
		return fmt.Errorf("%s: %w", batch.name, err)
	}
	for i, c := range batch.cases {
		p := &benchCase{
			badBench: b,
			badCase:  c,
			mirror:   mirror,
			mirrors:  mirrors,
			dir:      filepath.Join(dir, fmt.Sprint("case-", i)),
		}
		if err := p.play(b.t.Context()); err != nil {
			c.faults = append(c.faults, err.Error())
		}
		c.end()
	}
	return nil
}

// A benchCase is the state of one case while it is played.
type benchCase struct {
	*badBench
	*badCase
	dir     string
	mirrors *git.Mirrors
	mirror  *git.Mirror
	tree    []byte // raw entries of the tree
	store   *gogit.Repository

	bench, second *tool.Env
	was           map[string]string // the workspace's files as last seen
	may           []string          // paths that may change
	answer        model.Result
	answered      bool
}

func (bc *benchCase) play(ctx context.Context) error {
	if err := os.MkdirAll(bc.dir, 0o755); err != nil {
		return err
	}
	if bc.steps[0].verb != "entry" {
		commit, err := bc.mirror.Commits().Resolve("")
		if err != nil {
			return err
		}
		if bc.bench, err = bc.open(ctx, commit, "first"); err != nil {
			return err
		}
		bc.was = bc.lookAround(bc.bench.Workspace.Files())
	}
	for _, s := range bc.steps {
		if s.verb == "writes" {
			bc.may = append(bc.may, s.text())
		}
	}
	for _, s := range bc.steps {
		if err := bc.step(ctx, s); err != nil {
			return fmt.Errorf("%s:%d: %w", bc.batch.name, s.at, err)
		}
	}
	if bc.bench == nil {
		return nil
	}
	defer bc.close()
	last := badStep{at: bc.at, verb: "afterwards"}
	if _, kept := bc.was["ok.txt"]; kept {
		bc.call(ctx, last, bc.bench, "read_file", `{"path":"ok.txt"}`)
		bc.hold(last, !bc.answer.Wrong && strings.Contains(bc.answer.Text, "1\tfine"),
			"a file cannot be read any more: %s", bc.answer.Text)
	}
	return nil
}

func (bc *benchCase) close() {
	_ = bc.bench.Workspace.Close()
	if bc.second != nil {
		_ = bc.second.Workspace.Close()
	}
}

func (bc *benchCase) open(ctx context.Context, commit, name string) (*tool.Env, error) {
	w, err := bc.mirror.Workspace(ctx, filepath.Join(bc.dir, name), commit)
	if err != nil {
		return nil, err
	}
	if err := bc.sandbox.Own(w.Files()); err != nil {
		return nil, err
	}
	return &tool.Env{
		Workspace: w, Mirror: bc.mirror, OutputDir: filepath.Join(bc.dir, name+"-outputs"),
		Commands: tool.Commands{
			Sandbox: bc.sandbox,
			Checker: (&build.Checker{
				Caches: build.Caches{Sandbox: bc.sandbox, Dir: filepath.Join(bc.dir, name+"-cache")},
			}).For(bc.mirror),
		},
	}, nil
}

func (bc *benchCase) step(ctx context.Context, s badStep) error {
	switch s.verb {
	case "entry", "opens", "unopened":
		return bc.treeStep(ctx, s)
	case "off":
		bc.bench.Sandbox = nil
		bc.bench.SandboxOff = s.text()
	case "writes": // play has read these steps already
	case "call":
		bc.call(ctx, s, bc.bench, s.word(), s.text())
	case "other":
		if bc.second == nil {
			commit, err := bc.mirror.Commits().Resolve("")
			if err != nil {
				return err
			}
			if bc.second, err = bc.open(ctx, commit, "second"); err != nil {
				return err
			}
		}
		bc.call(ctx, s, bc.second, s.word(), s.text())
	case "ok", "refused", "says", "lacks", "below", "holds":
		return bc.due(s)
	case "changes", "unchanged", "changes-nothing":
		return bc.committed(ctx, s)
	default:
		if err := bc.plant(s); err != nil {
			return err
		}
		bc.was = bc.lookAround(bc.bench.Workspace.Files())
	}
	return nil
}

// plant changes the workspace as an agent's command or another process could.
func (bc *benchCase) plant(s badStep) error {
	name := filepath.Join(bc.bench.Workspace.Files(), s.word())
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	outside := func(text string) string { return strings.ReplaceAll(text, "$outside", bc.outside) }
	switch s.verb {
	case "put":
		return os.WriteFile(name, []byte(outside(s.text())), 0o644)
	case "symlink":
		return os.Symlink(outside(s.text()), name)
	case "hardlink":
		return os.Link(outside(s.text()), name)
	case "pipe":
		return syscall.Mkfifo(name, 0o666)
	case "socket":
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		dir, err := os.Open(filepath.Dir(name)) // the path may be too long for a socket's address
		if err != nil {
			return err
		}
		defer dir.Close()
		return syscall.Bind(fd, &syscall.SockaddrUnix{
			Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(name)),
		})
	case "sparse":
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return err
		}
		return os.Truncate(name, int64(s.number()))
	case "folder":
		return os.MkdirAll(name, 0o755)
	case "many":
		for i := range s.number() {
			if err := os.WriteFile(filepath.Join(name, fmt.Sprintf("f%06d", i)), nil, 0o644); err != nil {
				return err
			}
		}
		return nil
	case "remove":
		return os.RemoveAll(name)
	}
	return fmt.Errorf("no such step: %s", s.verb)
}

// call calls a tool, and examines its answer and the workspace.
func (bc *benchCase) call(ctx context.Context, s badStep, bench *tool.Env, name, args string) {
	tools := slices.Concat(tool.Reading(bench), tool.Running(bench), tool.Writing(bench))
	bc.answered = true
	at := slices.IndexFunc(tools, func(t model.Tool) bool { return t.Name == name })
	if at < 0 {
		bc.answer = model.Result{
			Wrong:     true,
			Malformed: true,
			Text:      "There is no tool " + strconv.Quote(name),
		}
		return
	}
	var err error
	if naive := bc.naive(name, args); naive != nil {
		bc.answer = *naive
	} else if bc.answer, err = tools[at].Call(ctx, json.RawMessage(args)); err != nil {
		bc.wrong(s, "an error of ours: %v", err)
		bc.answer = model.Result{Wrong: true, Text: err.Error()}
	}
	bc.examine(s)
}

// naive is read_file with a disabled guard: it opens any path and returns all of the file. It returns nil for
// other tools, and if no guard is disabled.
func (bc *benchCase) naive(name, args string) *model.Result {
	if name != "read_file" || bc.off == "" {
		return nil
	}
	var in struct{ Path string }
	if json.Unmarshal([]byte(args), &in) != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(bc.bench.Workspace.Files(), in.Path),
		os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return &model.Result{Wrong: true, Text: "There is no such file."}
	}
	defer f.Close()
	b, _ := io.ReadAll(f)
	return &model.Result{Text: "1\t" + string(b)}
}

// examine checks the answer and the workspace for what no call may ever do.
func (bc *benchCase) examine(s badStep) {
	text := bc.answer.Text
	for what, found := range map[string]bool{
		"the canary":                  strings.Contains(text, badCanary),
		"a path of this machine":      strings.Contains(text, bc.dir),
		"half a character":            !utf8.ValidString(text),
		"more than any answer may be": len(text) > longestAnswer,
		"nothing":                     text == "",
		"a control character": strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e ||
				r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
		}),
	} {
		if found {
			bc.wrong(s, "the answer holds %s: %q", what, text)
		}
	}
	now := bc.lookAround(bc.bench.Workspace.Files())
	for name := range bc.was {
		if now[name] != bc.was[name] && !bc.mayWrite(name) {
			bc.wrong(s, "%q was %q and is %q", shortened(name, 80), bc.was[name], now[name])
		}
	}
	for name := range now {
		if _, known := bc.was[name]; !known && !bc.mayWrite(name) {
			bc.wrong(s, "%q is there now", shortened(name, 80))
		}
	}
	bc.was = now
}

// mayWrite reports whether the case states that this path, or a folder above it, changes.
func (bc *benchCase) mayWrite(name string) bool {
	return slices.ContainsFunc(bc.may,
		func(may string) bool { return name == may || strings.HasPrefix(name, may+"/") })
}

// lookAround returns the kind, mode and content hash of everything below a folder, by path.
func (b *badBench) lookAround(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		info, infoErr := os.Lstat(name)
		if err != nil || infoErr != nil || name == dir {
			return nil
		}
		rel, _ := filepath.Rel(dir, name)
		all[rel] = fmt.Sprintf("%s %d", info.Mode(), info.Size())
		switch {
		case e.IsDir():
			all[rel] = info.Mode().String()
		case e.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			all[rel] = "-> " + target
		case e.Type().IsRegular() && info.Size() < 1<<20:
			content, _ := os.ReadFile(name)
			sum := fnv.New64a()
			_, _ = sum.Write(content)
			all[rel] += fmt.Sprintf(" %x", sum.Sum64())
		}
		return nil
	})
	return all
}

// due checks the newest answer against an expectation.
func (bc *benchCase) due(s badStep) error {
	text := bc.answer.Text
	if !bc.answered {
		return fmt.Errorf("nothing was called")
	}
	switch s.verb {
	case "ok":
		bc.hold(s, !bc.answer.Wrong && strings.Contains(text, s.text()), "it was %s", said(bc.answer))
	case "refused":
		bc.hold(s, bc.answer.Wrong && strings.Contains(text, s.text()), "it was %s", said(bc.answer))
	case "says":
		bc.hold(s, strings.Contains(text, s.text()), "it says %q", text)
	case "lacks":
		bc.hold(s, !strings.Contains(text, s.text()), "it says %q", text)
	case "below":
		bc.hold(s, len(text) < s.number(), "it says %d bytes: %q", len(text), text)
	case "holds":
		name := s.word()
		content, err := os.ReadFile(filepath.Join(bc.bench.Workspace.Files(), name))
		bc.hold(s, err == nil && string(content) == s.text(), "%s holds %q (%v)", name, content, err)
	}
	return nil
}

// committed commits the workspace and checks the commit's changes against an expectation.
func (bc *benchCase) committed(ctx context.Context, s badStep) error {
	changes, err := bc.bench.Workspace.Changes(ctx)
	if err != nil {
		return err
	}
	var all []string
	for _, c := range changes {
		all = append(all, c.String())
	}
	if len(changes) > 0 {
		if _, err := bc.bench.Workspace.Commit(ctx, git.CommitSpec{
			Message: "fixed",
			When:    stage.Authored,
		}); err != nil {
			return err
		}
	}
	text := strings.Join(all, "\n")
	switch s.verb {
	case "changes":
		bc.hold(s, strings.Contains(text, s.text()), "the changes are %q", all)
	case "unchanged":
		bc.hold(s, !strings.Contains(text, s.text()), "the changes are %q", all)
	default:
		bc.hold(s, text == "", "the changes are %q", all)
	}
	bc.was = bc.lookAround(bc.bench.Workspace.Files())
	return nil
}

func said(r model.Result) string {
	if r.Wrong {
		return "refused: " + r.Text
	}
	return "ok: " + r.Text
}

// treeStep adds a raw entry to the tree of a remote, or checks whether a workspace can be made of that tree.
func (bc *benchCase) treeStep(ctx context.Context, s badStep) (err error) {
	if s.verb == "entry" {
		if bc.store == nil {
			bc.store, err = gogit.InitWithOptions(
				filesystem.NewStorage(osfs.New(filepath.Join(bc.dir, "bad.git")),
					cache.NewObjectLRUDefault()),
				nil,
				gogit.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")},
			)
			if err != nil {
				return err
			}
		}
		mode := s.word()
		name := s.word()
		hash, err := bc.object(mode, s.text())
		bc.tree = append(fmt.Appendf(bc.tree, "%s %s\x00", mode, name), hash[:]...)
		return err
	}
	if bc.store != nil && bc.bench == nil {
		err = bc.openTree(ctx)
	}
	if s.verb == "opens" {
		bc.hold(s, err == nil, "it was refused: %v", err)
		return nil
	}
	bc.hold(s, err != nil && strings.Contains(fmt.Sprint(err), s.text()), "it was opened, or said: %v", err)
	bc.hold(s, err == nil || !strings.ContainsAny(err.Error(), "\n\x00\x1b"), "more than a line: %q", err)
	left, _ := os.ReadDir(filepath.Join(bc.dir, "first", "files"))
	bc.hold(s, len(left) == 0, "something of it is left: %v", left)
	return nil
}

// object returns the hash that an entry of the tree names: a new blob with the text, a new tree with one file
// of that text, or a submodule commit that does not exist.
func (bc *benchCase) object(mode, text string) (plumbing.Hash, error) {
	switch mode {
	case "160000":
		return plumbing.NewHash(strings.TrimSpace(text)), nil
	case "40000":
		blob, err := bc.raw(plumbing.BlobObject, []byte(text))
		if err != nil {
			return blob, err
		}
		return bc.raw(plumbing.TreeObject, append([]byte("100755 post-checkout\x00"), blob[:]...))
	}
	return bc.raw(plumbing.BlobObject, []byte(strings.ReplaceAll(text, "$outside", bc.outside)))
}

func (bc *benchCase) raw(kind plumbing.ObjectType, content []byte) (plumbing.Hash, error) {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(content)
	return bc.store.Storer.SetEncodedObject(o)
}

func (bc *benchCase) openTree(ctx context.Context) error {
	tree, err := bc.raw(plumbing.TreeObject, bc.tree)
	if err != nil {
		return err
	}
	who := object.Signature{Name: "Mallory", Email: "m@example.com", When: stage.Authored}
	o := &plumbing.MemoryObject{}
	if err := (&object.Commit{
		Author:    who,
		Committer: who,
		Message:   "trust me\n",
		TreeHash:  tree,
	}).Encode(o); err != nil {
		return err
	}
	commit, err := bc.store.Storer.SetEncodedObject(o)
	if err != nil {
		return err
	}
	if err := bc.store.Storer.SetReference(plumbing.NewHashReference("refs/heads/main", commit)); err != nil {
		return err
	}
	if bc.mirror, err = bc.mirrors.Open(ctx, remote.Remote{
		Name: filepath.Base(bc.dir),
		URL:  filepath.Join(bc.dir, "bad.git"),
	}); err != nil {
		return err
	}
	if bc.bench, err = bc.open(ctx, commit.String(), "first"); err != nil {
		bc.bench = nil
		return err
	}
	bc.was = bc.lookAround(bc.bench.Workspace.Files())
	return nil
}
