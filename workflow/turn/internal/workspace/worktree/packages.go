package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A packageFetcher fetches the packages that a repository names, and tells the thread of a long wait.
type packageFetcher struct {
	*ledger.Ledger
	NoticeAfter time.Duration
}

// waits holds when the thread is told that packages are still being fetched, in multiples of the
// runner's NoticeAfter. With the default of 10 seconds these are 20 seconds, 2 minutes and 5 minutes.
var waits = []time.Duration{2, 12, 30}

// fetchPackages fetches the packages that the base commit names. A failure does not stop the session:
// people are told of missing packages once, and agents in their first message (missingFacts).
func (pf packageFetcher) fetchPackages(ctx context.Context, p *Checkout, commit string) {
	defer close(p.fetched.done)
	waiting, done := context.WithCancel(ctx)
	defer done()
	var names string
	how := p.Repository.SetupFor(p.Project().Test, pf.Session().Created)
	have, err := p.Checker.Cache.FetchPackages(ctx, commit, how, func(of string) {
		names = of
		go pf.sayStillFetching(waiting, p.Repository.Name, of)
	})
	done()
	var failed []error
	if err != nil && ctx.Err() == nil {
		failed = []error{err}
		p.fetched.missing = joinLines(p.fetched.missing,
			"The packages that the repository names could not be fetched.")
	}
	p.fetched.have = have
	if have != nil {
		p.fetched.locks = have.Resolved()
		p.fetched.missing = joinLines(p.fetched.missing, describeMissing(have.Missing, p.Project()))
		for _, line := range have.Instead() {
			p.fetched.missing = joinLines(p.fetched.missing, "The packages of "+line+".")
			pf.SayIfNew(ctx, "The packages of "+line+".")
		}
		if there := have.Submodules(); len(there) > 0 {
			p.fetched.missing = joinLines(p.fetched.missing, "Submodules, whose files commands see, "+
				"read-only, but not read_file and search: "+plaintext.FirstOf(there, 20)+".")
		}
		if n, _, example := have.LFSFiles(); n > 0 {
			p.fetched.missing = joinLines(p.fetched.missing, fmt.Sprintf("Git LFS keeps %s, such as %s: "+
				"commands see the content, read-only; read_file and search see the pointers, which nobody "+
				"here can change.", plaintext.CountNoun(n, "file"), plaintext.CutLine(example, 200)))
		}
		for i := range have.Missing {
			failed = append(failed, &have.Missing[i])
		}
	}
	for _, err := range failed {
		pf.Log.Warn("setup", "err", err)
		pf.SayIfNew(ctx, FetchFailed(p.Repository.Name, err))
	}
	if have != nil && have.Fetched && len(have.Missing) == 0 && len(have.Refused) > 0 {
		pf.SayIfNew(ctx, fmt.Sprintf("The packages that %s needs (%s) are fetched. Refused on the way: %s. "+
			"Add a host that is needed under `setup.allow`.",
			p.Repository.Name, names, refusals(have.Refused)))
	}
}

// reopenBumped finds the packages that an earlier turn fetched for a lock file that it changed.
func (t *Trees) reopenBumped(ctx context.Context, p *Checkout, commit string) {
	if p.Work == nil {
		return
	}
	how := p.Repository.SetupFor(p.Project().Test, t.Session().Created)
	if err := p.Checker.Cache.ReopenBumped(ctx, commit, how, p.Work.FS()); err != nil && ctx.Err() == nil {
		t.Log.Warn("packages of the changed lock file are not there", "err", err)
	}
}

// describeMissing returns what agents are told of packages that could not be fetched.
func describeMissing(list []packages.Missing, p project.Project) string {
	var lines []string
	for _, m := range list {
		if m.Submodule != "" {
			lines = append(lines, fmt.Sprintf("Not here: the files of the submodule %s; %s.",
				plaintext.CutLine(m.Submodule, 200), prompt.FirstLine(m.Why)))
			continue
		}
		if m.LFSFiles > 0 {
			lines = append(lines, fmt.Sprintf("Not here: the content of %s that Git LFS keeps, such as %s; "+
				"%s. Tests that need it cannot be run here.", plaintext.CountNoun(m.LFSFiles, "file"),
				plaintext.CutLine(m.LFSExample, 200), prompt.FirstLine(m.Why)))
			continue
		}
		line := fmt.Sprintf("Not here: the packages that %s names; %s.", plaintext.CutLine(m.Names, 200),
			prompt.FirstLine(m.Why))
		if len(m.Lacking) > 0 {
			line = fmt.Sprintf("Of the packages that %s names, some are not here: %s. The others are.",
				plaintext.CutLine(m.Names, 200), lackingNames(m))
		}
		if ofProject := m.Kind == "" || m.Kind == p.Kind; ofProject && p.Build+p.Test != "" {
			switch {
			case m.Tool != "" && strings.Contains(p.Build+p.Test, m.Tool+" "):
				line += " Build and test as above cannot run here."
			default:
				line += " Build and test as above work here only where they need none of them."
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// missingFacts returns what agents are told of packages that the repository names and that are missing.
// It waits at most half of NoticeAfter for the fetch; after that, LateFacts returns the rest with the first
// command.
func (t *Trees) missingFacts(ctx context.Context) string {
	p := t.Current()
	wait := time.NewTimer(cmp.Or(t.NoticeAfter, 10*time.Second) / 2)
	defer wait.Stop()
	select {
	case <-p.fetched.done:
		return p.fetched.missing
	case <-wait.C:
	case <-ctx.Done():
	}
	t.mu.Lock()
	p.fetched.late = true
	t.mu.Unlock()
	return "The packages that it names are still being fetched; the first command waits for them."
}

// LateFacts waits until ready is closed (Checkout.BaseBuilt or Checkout.BaseTested). Then it returns, once,
// what missingFacts could not tell agents of missing packages because the fetch had not ended.
func (t *Trees) LateFacts(ctx context.Context, ready <-chan struct{}) (string, error) {
	select {
	case <-ready:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	p := t.Current()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.fetched.late {
		return "", nil
	}
	p.fetched.late = false
	return p.fetched.missing, nil
}

// WithoutLockFiles calls run, which runs a command in the workspace. Then, also if the command was
// interrupted, it removes the lock files that the workspace did not have before, of those that the fetched
// packages replace, because they are not part of the change.
func (t *Trees) WithoutLockFiles(w *git.Workspace, run func() error) error {
	var absent []string
	for _, file := range t.Current().fetched.locks {
		if _, err := fs.Stat(w.FS(), file); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, file)
		}
	}
	failed := run()
	if len(absent) == 0 {
		return failed
	}
	root, err := os.OpenRoot(w.Files())
	if err != nil {
		return errors.Join(failed, err)
	}
	defer root.Close()
	for _, file := range absent {
		if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Log.Warn("a lock file that a command wrote stays", "file", file, "err", err)
		}
	}
	return failed
}

// sayStillFetching tells the thread at the times in waits that packages are still being fetched, until
// ctx ends.
func (pf packageFetcher) sayStillFetching(ctx context.Context, repository, names string) {
	var past time.Duration
	for _, times := range waits {
		wait := times * cmp.Or(pf.NoticeAfter, 10*time.Second)
		timer := time.NewTimer(wait - past)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		past = wait
		line := fmt.Sprintf("Fetching the packages that %s needs (%s); %s so far. "+
			"Builds and tests begin after that; I read the code meanwhile.", repository, names, wait)
		if err := pf.Record(ctx, store.Lines(pf.ProgramLine(line))); err != nil && ctx.Err() == nil {
			pf.Log.Warn("the thread was not told of a wait", "err", err)
		}
	}
}

// FetchFailed returns the line that tells people of a failed fetch: what failed, the end of its output,
// and what to do.
func FetchFailed(repository string, err error) string {
	const rest = " I go on without them; builds and tests that need them will fail."
	var m *packages.Missing
	if !errors.As(err, &m) {
		return fmt.Sprintf("I could not fetch the packages that %s needs: %s.", repository,
			prompt.FirstLine(strings.TrimPrefix(err.Error(), "setup: "))) + rest
	}
	if m.Submodule != "" {
		return submoduleFailed(m) + " I go on without its files; builds and tests that need them will fail."
	}
	if m.LFSFiles > 0 {
		return lfsFailed(m) + " I go on without that; tests that need it cannot be run here."
	}
	if len(m.Lacking) > 0 {
		return lackingFailed(repository, m) + " I go on without; builds and tests that need it will fail."
	}
	line := fmt.Sprintf("I could not fetch the packages that %s needs (%s): %s.", repository,
		plaintext.CutLine(m.Names, 200), m.Why)
	if said := telling(m.Output); said != "" && len(m.Refused) == 0 {
		line += " It says: `" + strings.ReplaceAll(said, "`", "'") + "`."
	}
	if m.Cure != "" {
		line += " For my operator: " + m.Cure + "."
	}
	if m.Log != "" {
		line += " The whole output is in `" + m.Log + "`."
	}
	return line + rest
}

// lackingNames lists single packages that could not be fetched, in code marks: their names come from the
// repository.
func lackingNames(m packages.Missing) string {
	var names []string
	for _, l := range m.Lacking {
		names = append(names, "`"+strings.ReplaceAll(plaintext.CutLine(l.String(), 200), "`", "'")+"`")
	}
	return plaintext.FirstOf(names, 5)
}

// lackingFailed returns the sentences about single packages that could not be fetched.
func lackingFailed(repository string, m *packages.Missing) string {
	line := fmt.Sprintf("I could not fetch %s, which %s needs (%s); the other packages are there.",
		lackingNames(*m), repository, plaintext.CutLine(m.Names, 200))
	if m.Cure != "" {
		line += " For my operator: " + m.Cure + "."
	}
	return line
}

// lfsFailed returns the sentences about files of Git LFS whose content could not be fetched.
func lfsFailed(m *packages.Missing) string {
	line := fmt.Sprintf("The content of %s that Git LFS keeps (such as %s",
		plaintext.CountNoun(m.LFSFiles, "file"), codeMarks(m.LFSExample))
	if m.Host != "" {
		line += ", at " + codeMarks(m.Host)
	}
	line += ") could not be fetched: " + m.Why + "."
	if m.Cure != "" {
		line += " For my operator: " + m.Cure + "."
	}
	return line
}

// codeMarks puts a text that comes from the repository or a server into code marks.
func codeMarks(text string) string {
	return "`" + strings.ReplaceAll(plaintext.SafeLine(text, 200), "`", "'") + "`"
}

// submoduleFailed returns the sentences about a submodule that could not be fetched. Its path and host come
// from the repository.
func submoduleFailed(m *packages.Missing) string {
	line := "The submodule " + codeMarks(m.Submodule)
	if m.Host != "" {
		line += " (" + codeMarks(m.Host) + ")"
	}
	line += " could not be fetched: " + m.Why + "."
	if m.Cure != "" {
		line += " For my operator: " + m.Cure + "."
	}
	return line
}

// telling returns the last two lines of an output, without npm's lines that carry no information.
func telling(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && line != "npm error" && !strings.Contains(line, "complete log of this run") {
			lines = append(lines, line)
		}
	}
	return plaintext.CutLine(strings.Join(lines[max(0, len(lines)-2):], " "), 400)
}

// refusals lists refused requests in code marks, because the host names come from strangers.
func refusals(list []proxy.Refusal) string {
	var out []string
	for _, r := range list {
		out = append(out, fmt.Sprintf("`%s` (%s)", strings.ReplaceAll(r.Target, "`", "'"), r.Why))
	}
	return strings.Join(out, ", ")
}
