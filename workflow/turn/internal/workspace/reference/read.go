package reference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Reader reads what references lead to.
type Reader struct {
	Mirrors *git.Mirrors // nil: commits and files are not read
	// Timeout is how long all references of a message may take together; 0: 30 s.
	Timeout time.Duration
}

// ReadAll reads the references beside each other, and returns what they lead to in the same order. One that
// is not read in time is refused. It fails only if ctx ends.
func (r *Reader) ReadAll(ctx context.Context, all []Reference) ([]Found, error) {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(r.Timeout, 30*time.Second))
	defer cancel()
	found := make([]Found, len(all))
	var reading sync.WaitGroup
	for i, ref := range all {
		reading.Go(func() { found[i] = r.read(limited, ref) })
	}
	reading.Wait()
	return found, ctx.Err()
}

// read reads one reference.
func (r *Reader) read(ctx context.Context, ref Reference) Found {
	var f Found
	var err error
	switch {
	case ref.Kind == host.APage:
		f.Refused = "I do not open pages of its kind: name the file, commit, issue, pull request or run " +
			"that is meant, or paste what matters of it"
	case ref.Kind == host.ACommit || ref.Kind == host.AFile || ref.Kind == host.AFolder:
		f, err = r.fromMirror(ctx, ref)
	case ref.NeedsHost():
		f.Refused = fmt.Sprintf("the configuration names no git host for %s: my operator can add `host: on` "+
			"to it", ref.Repository.Name)
	case ref.Kind == host.ARun:
		f, err = readRun(ctx, ref)
	default:
		f, err = readIssue(ctx, ref)
	}
	if err != nil {
		f = Found{Refused: reason(ctx, ref, err), Absent: errors.Is(err, host.ErrNotFound)}
	}
	f.Reference = ref
	return f
}

// hostNames are the names of git hosts for people.
var hostNames = map[string]string{host.GitHub: "GitHub", host.GitLab: "GitLab", host.Gitea: "Gitea"}

// reason returns in one line why a reference could not be read, and what to do.
func reason(ctx context.Context, ref Reference, err error) string {
	at := cmp.Or(hostNames[ref.Repository.Pulls.Kind], "its git host")
	rights := host.RightsToRead(ref.Repository.Pulls.Kind, ref.Kind)
	var refused *remote.Error
	switch {
	case ctx.Err() != nil:
		return "it was not read in time; name it again later"
	case errors.Is(err, host.ErrForbidden):
		return fmt.Sprintf("the token for %s may not read it at %s: it needs %s", ref.Repository.Name, at,
			rights)
	case errors.Is(err, host.ErrNotFound):
		return fmt.Sprintf("%s has no such %s, or the token for %s may not see it (it needs %s)", at,
			ref.Kind, ref.Repository.Name, rights)
	case errors.As(err, &refused):
		return strings.TrimSuffix(plaintext.OneLine(refused.Reason+". "+refused.Cure), ".")
	}
	return plaintext.CutLine(plaintext.OneLine(err.Error()), 200)
}

// login returns a login at a host, as agents may know a person.
func login(name string) string { return cmp.Or(prompt.PersonName(name), "somebody") }

// readIssue reads an issue or a pull request with its comments.
func readIssue(ctx context.Context, ref Reference) (Found, error) {
	i, err := ref.Repository.Pulls.Host.Issue(ctx, ref.Number, ref.Kind == host.APull)
	if err != nil {
		return Found{}, err
	}
	at := hostNames[ref.Repository.Pulls.Kind]
	if i.Confidential {
		return Found{
			Refused: "it is confidential at " + at + ": write here what everybody in this thread may read",
		}, nil
	}
	as := ref
	noun := "an issue"
	if i.Pull {
		as.Kind = host.APull
		noun = "a " + ref.Repository.Pulls.Words().Noun
	}
	f := Found{What: noun + " at " + at, Label: as.Name() + with(i)}
	f.head = fmt.Sprintf("%s: %s\nState: %s. By %s, %s.", as.Name(), prompt.PersonName(i.Title),
		prompt.PersonName(i.State), login(i.Author), i.Created.UTC().Format(time.DateOnly))
	if len(i.Labels) > 0 {
		f.head += " Labels: " + prompt.PersonName(plaintext.FirstOf(i.Labels, 10)) + "."
	}
	if i.Pull {
		f.head += fmt.Sprintf("\nFrom branch %s (at %s) into %s.\n%s", prompt.FileName(i.Branch),
			prompt.ShortHash(prompt.PersonName(i.Head)), prompt.FileName(i.Base), listFiles(i.Files))
	}
	f.body = i.Body
	for _, c := range i.Comments {
		title := "Comment of " + login(c.Login)
		if c.Path != "" {
			title += fmt.Sprintf(" on %s:%d", prompt.FileName(c.Path), c.Line)
		}
		title += ", " + c.At.UTC().Format("2006-01-02 15:04") + ":"
		f.pieces = append(f.pieces, piece{title: title, text: c.Text})
	}
	if i.Pull && isHash.MatchString(i.Head) && !isOver(i.State) {
		f.addChecks(ctx, ref, i.Head)
		if ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
	}
	if i.More > 0 && f.left == "" {
		f.left = fmt.Sprintf("cut: %s at %s", plaintext.CountNoun(i.More, "older comment"), at)
	}
	return f, nil
}

// isOver reports whether a pull request in that state, in the host's word, is merged or closed.
func isOver(state string) bool { return state == string(host.Merged) || state == string(host.Closed) }

// addChecks adds the checks of the commit that a pull request is at, and the ends of the logs of those that
// failed.
func (f *Found) addChecks(ctx context.Context, ref Reference, commit string) {
	checks, err := ref.Repository.Pulls.Host.Checks(ctx, commit)
	switch {
	case err != nil:
		f.head += "\nIts checks cannot be read: " + reason(ctx, ref, err) + "."
		return
	case len(checks) == 0:
		f.head += "\nChecks: none."
		return
	}
	f.head += "\nChecks: " + checkStates(checks) + "."
	failed := failedOf(checks)
	if n := len(failed); n > 0 {
		f.Label += ", " + plaintext.CountNoun(n, "check") + " failed"
	}
	f.addLogs(ctx, ref, failed, len(failed))
}

// checkStates lists checks with how they ended.
func checkStates(checks []host.Check) string {
	var states []string
	for _, c := range checks {
		states = append(states, prompt.PersonName(c.Name+": "+cmp.Or(c.Inconclusive, string(c.State))))
	}
	return cmp.Or(plaintext.FirstOf(states, maxFiles), "none")
}

func failedOf(checks []host.Check) []host.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c host.Check) bool { return c.State != host.Failed })
}

// addLogs adds the ends of the logs of checks, of which that many failed.
func (f *Found) addLogs(ctx context.Context, ref Reference, shown []host.Check, failed int) {
	for _, c := range slices.Backward(shown[:min(len(shown), maxLogs)]) {
		f.pieces = append(f.pieces, readLog(ctx, ref, c))
	}
	if left := failed - maxLogs; left > 0 {
		f.left = fmt.Sprintf("cut: the logs of %s that failed", plaintext.CountNoun(left, "more job"))
	}
}

// with returns the words about the comments and files that an issue has.
func with(i host.Issue) string {
	var has []string
	if i.Pull {
		has = append(has, plaintext.CountNoun(len(i.Files), "file"))
	}
	if n := len(i.Comments) + i.More; n > 0 {
		has = append(has, plaintext.CountNoun(n, "comment"))
	}
	if len(has) == 0 {
		return ""
	}
	return " with " + strings.Join(has, " and ")
}

// maxFiles is how many files of a pull request or a commit are listed.
const maxFiles = 30

func listFiles(files []host.File) string {
	list := []string{"Files:"}
	for _, f := range files[:min(len(files), maxFiles)] {
		list = append(list, fmt.Sprintf("%s, %s, +%d -%d", prompt.FileName(f.Path),
			prompt.PersonName(f.Change), f.Added, f.Removed))
	}
	if left := len(files) - maxFiles; left > 0 {
		list = append(list, fmt.Sprintf("(cut: %s)", plaintext.CountNoun(left, "more file")))
	}
	return strings.Join(list, "\n")
}

// maxLogs is how many logs of a run are read.
const maxLogs = 3

// readRun reads a run, and the ends of the logs of its failed jobs.
func readRun(ctx context.Context, ref Reference) (Found, error) {
	run, err := ref.Repository.Pulls.Host.Run(ctx, ref.Run, ref.Job)
	if err != nil {
		return Found{}, err
	}
	failed := failedOf(run.Checks)
	f := Found{
		What:  "a run of CI at " + hostNames[ref.Repository.Pulls.Kind],
		Label: ref.Name() + cmp.Or(countFailed(len(failed)), " ("+prompt.PersonName(run.State)+")"),
	}
	f.head = fmt.Sprintf("%s: %s\nState: %s. Branch %s at %s.\nJobs: %s.", ref.Name(),
		prompt.PersonName(run.Name), prompt.PersonName(run.State), prompt.FileName(run.Branch),
		prompt.ShortHash(prompt.PersonName(run.Commit)), checkStates(run.Checks))
	shown := failed
	if ref.Job != "" {
		shown = run.Checks
	}
	f.addLogs(ctx, ref, shown, len(failed))
	return f, ctx.Err()
}

// readLog reads the end of the log of a job.
func readLog(ctx context.Context, ref Reference, c host.Check) piece {
	of := prompt.PersonName(c.Name)
	log, err := ref.Repository.Pulls.Host.Log(ctx, c)
	switch {
	case err != nil:
		return piece{title: fmt.Sprintf("The log of %s cannot be read: %s.", of, reason(ctx, ref, err))}
	case strings.TrimSpace(log) == "":
		return piece{title: "The host has no log of " + of + "."}
	}
	return piece{title: "The end of the log of " + of + ":", text: cleanLog(log), end: true}
}

// countFailed returns the words about the jobs that failed, or an empty string if there are none.
func countFailed(n int) string {
	if n == 0 {
		return ""
	}
	return " with " + plaintext.CountNoun(n, "failed job")
}

var (
	logTime   = regexp.MustCompile(`(?m)^\x{feff}?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z `)
	logError  = regexp.MustCompile(`(?m)^##\[error\].*$`)
	logEffect = regexp.MustCompile(`section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?\r?`)
)

// cleanLog returns a log without the times before its lines, without what only colours and folds it, and
// without what a host does after the last error.
func cleanLog(log string) string {
	log = logTime.ReplaceAllString(logEffect.ReplaceAllString(log, ""), "")
	log = plaintext.StripTerminal(log)
	if at := logError.FindAllStringIndex(log, -1); at != nil {
		log = log[:at[len(at)-1][1]]
	}
	return log
}

// fromMirror reads a commit or a file from the repository's mirror, which is fetched if it does not have it.
func (r *Reader) fromMirror(ctx context.Context, ref Reference) (Found, error) {
	if r.Mirrors == nil {
		return Found{Refused: "there is no copy of the repository here"}, nil
	}
	mirror, err := r.Mirrors.Open(ctx, ref.Repository.Remote)
	if err != nil {
		return Found{}, err
	}
	read := readCommit
	if ref.Kind != host.ACommit {
		read = readPath
	}
	f, found, err := read(ctx, mirror.Commits(), ref)
	if !found && err == nil {
		fetch := mirror.Fetch
		if len(ref.Commit) == 40 {
			fetch = func(ctx context.Context) error { return mirror.FetchCommit(ctx, ref.Commit) }
		}
		if err := fetch(ctx); err != nil && ref.Kind != host.ACommit {
			return Found{}, err
		}
		f, found, err = read(ctx, mirror.Commits(), ref)
	}
	if !found && err == nil {
		f.Refused = fmt.Sprintf("%s has no such %s", ref.Repository.Name, ref.Kind)
		f.Absent = true
	}
	return f, err
}

// readCommit reads a commit with the files that it changes. found is false if the mirror does not have it.
func readCommit(ctx context.Context, commits git.Commits, ref Reference) (f Found, found bool, err error) {
	hash, err := commits.Resolve(ref.Commit)
	if err != nil {
		return Found{}, false, nil
	}
	c, diff, err := commits.Show(ctx, hash, "", workfile.IsPrivate)
	if errors.Is(err, git.ErrShallow) {
		diff = ""
		err = nil
	}
	if err != nil {
		return Found{}, false, err
	}
	files := diffStat(diff)
	f = Found{
		What:  "a commit of " + ref.Repository.Name,
		Label: ref.Name() + " with " + plaintext.CountNoun(len(files), "file"),
	}
	f.head = fmt.Sprintf("%s: %s\nBy %s, %s.\n%s", ref.Name(), prompt.PersonName(c.Subject), login(c.Author),
		c.When.UTC().Format(time.DateOnly), listFiles(files))
	f.body = c.Body
	if m := moreFiles.FindStringSubmatch(diff); m != nil {
		f.left = "cut: " + m[1] + " more files"
	}
	return f, true, nil
}

// moreFiles matches the end of a diff that was cut.
var moreFiles = regexp.MustCompile(`\n… (\d+) more files\n$`)

// diffStat returns the files of a unified diff with the numbers of their lines.
func diffStat(diff string) (files []host.File) {
	for _, part := range strings.Split("\n"+diff, "\ndiff --git ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		f := host.File{Path: name, Change: "modified"}
		if _, after, ok := strings.Cut(name, " b/"); ok {
			f.Path = after
		}
		head, hunks, _ := strings.Cut(rest, "\n@@")
		switch {
		case strings.Contains("\n"+head, "\nnew file"):
			f.Change = "added"
		case strings.Contains("\n"+head, "\ndeleted file"):
			f.Change = "removed"
		}
		for line := range strings.Lines("@@" + hunks) {
			switch line[0] {
			case '+':
				f.Added++
			case '-':
				f.Removed++
			}
		}
		files = append(files, f)
	}
	return files
}

const (
	around   = 8   // lines that are shown before and after the lines that are meant
	maxLines = 150 // of a file
	maxFile  = 4 << 20
	// parts between slashes that a branch's name may have
	maxBranchParts = 20
)

// readPath reads a file or a folder at a commit. Of the branch and the path, which are both separated by
// slashes, it takes the first division that exists.
func readPath(ctx context.Context, commits git.Commits, ref Reference) (f Found, found bool, err error) {
	read := readFile
	if ref.Kind == host.AFolder {
		read = readFolder
	}
	parts := 0
	for i, c := range ref.Path {
		if c != '/' {
			continue
		}
		if parts++; parts > maxBranchParts {
			break
		}
		if ctx.Err() != nil {
			return Found{}, false, ctx.Err()
		}
		hash, err := commits.Resolve(ref.Path[:i])
		if err != nil {
			continue
		}
		f, err := read(ctx, commits, ref, hash, ref.Path[i+1:])
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err == nil, err
		}
	}
	// a branch with a slash
	if hash, err := commits.Resolve(ref.Path); ref.Kind == host.AFolder && err == nil {
		f, err := read(ctx, commits, ref, hash, "")
		return f, err == nil, err
	}
	return Found{}, false, nil
}

// readFile reads lines of a file at a commit, with some around them. A path that is no file is
// fs.ErrNotExist.
func readFile(_ context.Context, commits git.Commits, ref Reference, hash, name string) (Found, error) {
	if workfile.IsPrivate(name) {
		return Found{Refused: "files of its kind hold secrets, and are shown to nobody"}, nil
	}
	size, err := commits.FileSize(hash, name)
	switch {
	case err != nil:
		return Found{}, err
	case size > maxFile:
		return Found{Refused: "it is larger than " + plaintext.FormatSize(maxFile)}, nil
	}
	content, err := commits.ReadFile(hash, name)
	if err != nil {
		return Found{}, err
	}
	return showLines(ref, hash, name, string(content)), nil
}

// readFolder lists the files in a folder at a commit and in the folders below it. A folder without files is
// fs.ErrNotExist.
func readFolder(
	ctx context.Context, commits git.Commits, ref Reference, hash, name string,
) (Found, error) {
	if name = strings.Trim(name, "/"); name != "" {
		name += "/"
	}
	all, err := commits.ListPaths(ctx, hash, func(dir string) bool {
		dir += "/"
		return !strings.HasPrefix(dir, name) && !strings.HasPrefix(name, dir)
	})
	if err != nil {
		return Found{}, err
	}
	all = slices.DeleteFunc(all, func(path string) bool { return !strings.HasPrefix(path, name) })
	if len(all) == 0 {
		return Found{}, fs.ErrNotExist
	}
	at := fmt.Sprintf("%s at %s of %s", prompt.FileName(cmp.Or(name, "/")), prompt.ShortHash(hash),
		ref.Repository.Name)
	f := Found{
		What: "a folder of " + ref.Repository.Name, Label: at,
		head: at + " with " + plaintext.CountNoun(len(all), "file") + ".",
	}
	if left := len(all) - maxLines; left > 0 {
		f.left = "cut: " + plaintext.CountNoun(left, "more file")
		all = all[:maxLines]
	}
	f.body = strings.Join(all, "\n")
	return f, nil
}

// showLines returns the lines of a file that are meant, with their numbers.
func showLines(ref Reference, commit, name, content string) Found {
	at := fmt.Sprintf("%s at %s of %s", prompt.FileName(name), prompt.ShortHash(commit), ref.Repository.Name)
	f := Found{What: "a file of " + ref.Repository.Name, Label: at}
	if strings.ContainsRune(content[:min(len(content), 8000)], 0) {
		f.Refused = "it is no text"
		return f
	}
	all := strings.Split(strings.TrimSuffix(redact.HideKeys(content), "\n"), "\n")
	first := 1
	last := len(all)
	if ref.First > 0 {
		f.Label = fmt.Sprintf("%s:%d at %s of %s", prompt.FileName(name), ref.First, prompt.ShortHash(commit),
			ref.Repository.Name)
		first = max(1, min(ref.First, ref.Last)-around)
		last = min(len(all), max(ref.First, ref.Last)+around)
	}
	f.head = at + fmt.Sprintf(", lines %d to %d of %d.", first, last, len(all))
	if ref.First > 0 {
		f.head += fmt.Sprintf(" Meant: %d to %d.", min(ref.First, ref.Last), max(ref.First, ref.Last))
	}
	if last-first >= maxLines {
		last = first + maxLines - 1
		f.left = fmt.Sprintf("cut: the lines after %d", last)
	}
	var b strings.Builder
	for n := first; n <= last; n++ {
		fmt.Fprintf(&b, "%d\t%s\n", n, plaintext.CutLine(all[n-1], 300))
	}
	f.body = b.String()
	return f
}
