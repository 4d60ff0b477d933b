package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/trial"
)

// examineRepository asks a remote for its branches and tags and whether it would accept a push. Nothing is
// fetched, pushed or run in it.
func (d *Doctor) examineRepository(ctx context.Context, r repository.Repository, f *List) {
	mirrors := &git.Mirrors{Dir: filepath.Join(d.settings.DataDir, "mirrors"), Log: d.log}
	defer mirrors.Close()
	sight, err := mirrors.LookAt(ctx, r.Remote)
	if err != nil {
		remoteRefusal(f, "it cannot be read", err)
		return
	}
	base := cmp.Or(r.Base, sight.Default)
	switch {
	case sight.Empty:
		f.problem("it is empty: there is nothing to work on",
			"push a first commit to "+cmp.Or(r.Base, "main"))
	case r.Base == "" && sight.Default == "":
		f.problem("it does not say which branch is its default", "name one: base: main")
	case !sight.HasBranch(base):
		f.problem(fmt.Sprintf("it has no branch %s%s", base, cli.DidYouMean(base, sight.Branches)),
			"correct base in the configuration, or leave it out for the default branch "+sight.Default)
	default:
		f.ok("%s can be read; %s is there, among %s (%s)", address.HideSecret(r.URL), base,
			countedBranches(len(sight.Branches)), sight.Took.Round(time.Millisecond))
	}
	if sight.Shallow {
		f.warn("it is a shallow clone: history is missing, and perhaps what a push needs",
			"git fetch --unshallow there, or name the repository that it comes from")
	}
	for setting, folder := range map[string]string{
		"branch_prefix": cmp.Or(r.BranchPrefix, git.DefaultPrefix),
		"branch":        r.Naming.Branch.Folder(),
	} {
		if folder = strings.TrimSuffix(folder, "/"); folder != "" && sight.HasBranch(folder) {
			f.problem(fmt.Sprintf("a branch %s is in the way of all branches %s/…", folder, folder),
				"rename that branch, or set another "+setting)
		}
	}
	d.examineReleases(r, sight, f)
	var lacks []string
	var refused error // by the host; what depends on it is not asked, and is not said once more
	if r.Pulls.Host != nil {
		lacks, refused = r.Pulls.Host.Missing(ctx)
	}
	if r.PushTo != nil {
		examineFork(ctx, mirrors, r, refused == nil, f)
	} else if err := mirrors.MayPush(ctx, r.Remote); err != nil {
		remoteRefusal(f, "it refuses pushes from us", err)
	} else {
		f.ok("it would accept a push (asked, not tried; rules for single branches show only at a push)")
	}
	switch {
	case refused != nil:
		remoteRefusal(f, "nothing that needs the host works "+
			"("+strings.Join(d.neededOfHost(r), ", ")+")", refused)
	case r.Pulls.Host != nil:
		d.examineHost(ctx, r, base, lacks, f)
	}
	d.examineCommits(ctx, r, refused == nil, f)
	for _, l := range r.Setup.Logins {
		if l.Token != "" { // the part "configuration" reports a variable that is not set
			f.ok("packages from %s are fetched with %s, which is set", l.Host, l.Name)
		}
	}
	examineAdvisories(ctx, r.Setup.Advisories, time.Now(), f)
	here := mirrors.Local(r.Remote, base)
	if here != nil {
		defer here.Close()
	}
	d.examineFiles(ctx, r, here, f)
}

// examineHost says what the credential may do at the host, which rights are missing, and what the host
// demands. Everything is only asked; no pull request is opened.
func (d *Doctor) examineHost(
	ctx context.Context, r repository.Repository, base string, missing []string, f *List,
) {
	noun := r.Pulls.Words().Noun
	if len(missing) > 0 {
		f.problem("for "+noun+"s its credential lacks "+strings.Join(missing, ", "), "add that to the "+
			"token or the App; docs/configuration/pull-requests.md says what is needed and why")
	} else {
		f.ok("%ss can be opened at %s (asked, not tried)", noun, r.Pulls.Web)
	}
	examineReading(ctx, r, f)
	examinePapers(ctx, r, f)
	d.examineFiling(ctx, r, f)
	examineDemands(ctx, r, base, f)
}

// neededOfHost returns what needs the host of a repository.
func (d *Doctor) neededOfHost(r repository.Repository) []string {
	what := []string{r.Pulls.Words().Noun + "s", "issues that people point at", "rules for commits"}
	if papers := r.Pulls.Papers; len(papers.Labels)+len(papers.Assignees)+len(papers.Reviewers) > 0 {
		what = append(what, "labels and people")
	}
	if r.IssuePlace(d.settings.Trackers).Tracker == nil {
		what = append(what, `issues filed from threads ("file it")`)
	}
	if r.PushTo != nil {
		what = append(what, "what push_to is a fork of")
	}
	if r.Commits.Signer != nil {
		what = append(what, "whether it knows the signing key")
	}
	return what
}

// examineFiling asks the host whether issues can be filed there at people's word, unless a tracker has them.
func (d *Doctor) examineFiling(ctx context.Context, r repository.Repository, f *List) {
	if r.IssuePlace(d.settings.Trackers).Tracker != nil {
		return
	}
	switch missing, err := r.Pulls.Host.Unfilable(ctx); {
	case err != nil:
		remoteRefusal(f, "issues cannot be filed", err)
	case len(missing) > 0:
		f.warn(`no issue can be filed from a thread ("file it"): the credential lacks `+
			strings.Join(missing, ", "),
			"add that to the token or the App; docs/configuration/issues.md")
	default:
		f.ok(`issues can be filed from threads ("file it")`)
	}
}

// examineReading asks the host whether the issues and runs that people point at can be read.
func examineReading(ctx context.Context, r repository.Repository, f *List) {
	switch missing, err := r.Pulls.Host.Unreadable(ctx); {
	case err != nil:
		remoteRefusal(f, "issues that people point at cannot be read", err)
	case len(missing) > 0:
		f.warn("what people point at cannot all be read: the credential lacks "+strings.Join(missing, ", "),
			"add that to the token or the App, or people have to paste it; "+
				"docs/configuration/links.md")
	default:
		f.ok("issues, %ss and runs that people point at can be read", r.Pulls.Words().Noun)
	}
}

// examinePapers asks the host whether the labels and people of pull requests can be set. What is missing does
// not keep a pull request from being opened.
func examinePapers(ctx context.Context, r repository.Repository, f *List) {
	of := r.Pulls.Papers
	var people []string
	for _, name := range slices.Concat(of.Assignees, of.Reviewers) {
		isWord := slices.Contains(
			[]string{repository.Codeowners, repository.Requester, repository.Approver}, name)
		if !isWord && !slices.Contains(people, name) {
			people = append(people, name)
		}
	}
	if len(of.Labels)+len(of.Assignees)+len(of.Reviewers) == 0 {
		return
	}
	if words := wordsForPeople(of); len(words) > 0 && len(r.Pulls.People) == 0 {
		f.warn(strings.Join(words, " and ")+" under host names nobody: people, at the top of the file, "+
			"has no "+
			"logins", "add the logins with the Slack ids of their people, such as people: {ann-at-work: "+
			"U0123ABCD}")
	}
	noun := r.Pulls.Words().Noun
	switch lacks, err := r.Pulls.Host.LackingFor(ctx, of.Labels, people); {
	case err != nil:
		remoteRefusal(f, "labels and people of "+noun+"s cannot be asked for", err)
	case len(lacks) > 0:
		f.warn(fmt.Sprintf("labels and people cannot all be set on %ss: there is missing %s", noun,
			strings.Join(lacks, ", ")), "add that at the host, or correct labels, assignees and reviewers "+
			"under host; a "+noun+" is opened without them")
	default:
		f.ok("labels and people can be set on %ss (asked, not tried)", noun)
	}
}

// wordsForPeople returns those of the words requester and approver that stand for somebody on pull requests.
func wordsForPeople(of repository.Papers) (words []string) {
	for _, word := range []string{repository.Requester, repository.Approver} {
		if slices.Contains(of.Assignees, word) || slices.Contains(of.Reviewers, word) {
			words = append(words, word)
		}
	}
	return words
}

// oldAdvisories is the age from which on advisories are said to be old.
const oldAdvisories = 30 * 24 * time.Hour

// examineAdvisories says whether the folder of advisories can be read, and how old the newest one is.
func examineAdvisories(ctx context.Context, dir string, now time.Time, f *List) {
	if dir == "" {
		return
	}
	const cure = "put exports of OSV there (zip or JSON files): docs/configuration/registries.md"
	n, newest, err := packages.AdvisoriesState(ctx, dir)
	age := now.Sub(newest)
	switch {
	case err != nil:
		f.problem("setup.advisories: the folder cannot be read: "+err.Error(), cure)
	case n == 0:
		f.problem("setup.advisories: there are no advisories in "+dir, cure)
	case age > oldAdvisories:
		f.warn(fmt.Sprintf("setup.advisories: %s, and the newest is %d days old", countedAdvisories(n),
			int(age.Hours()/24)), "fetch newer exports of OSV")
	default:
		f.ok("setup.advisories: %s, the newest of %s", countedAdvisories(n),
			newest.UTC().Format(time.DateOnly))
	}
}

func countedAdvisories(n int) string {
	if n == 1 {
		return "1 advisory"
	}
	return plaintext.FormatCount(n) + " advisories"
}

// examineFiles says in one line what bobbin try would find in the repository without running anything, if
// this machine has the repository.
func (d *Doctor) examineFiles(
	ctx context.Context, r repository.Repository, here *git.Local, f *List,
) {
	if here == nil {
		f.note("what it needs is not known before it is fetched", d.tryCommand(r)+" fetches and tests it")
		return
	}
	box := d.openedSandbox(ctx)
	found, err := trial.Look(ctx, trial.Subject{
		Repository: r, Commits: here.Commits, Branch: here.Branch, Commit: here.Commit, Sandbox: box,
	})
	if box != nil && r.Environment.Image != "" {
		if _, err := box.WithImage(ctx, r.Environment.Image); err != nil {
			f.failed("environment.image", err)
		}
	}
	if err != nil {
		f.note("its files cannot be read: "+err.Error(), "")
		return
	}
	d.examineToolchain(ctx, r, found.Kind, f)
	switch {
	case found.Test.Line == "":
		f.warn("found: "+found.String(), d.tryCommand(r)+" says what would help")
	case found.Lacks():
		f.note("found: "+found.String(), d.tryCommand(r)+" says what can be proven")
	default:
		f.ok("found: %s (%s tells more)", found, d.tryCommand(r))
	}
}

// tryCommand returns the command line that tries the repository.
func (d *Doctor) tryCommand(r repository.Repository) string {
	return "bobbin try " + r.Name + d.flag()
}

// examineReleases reports which branches and tags of the remote match the patterns of releases and bases.
func (d *Doctor) examineReleases(r repository.Repository, sight git.RemoteInfo, f *List) {
	examinePatterns("releases", r, r.Releases, sight, f)
	examinePatterns("bases", r, r.Bases, sight, f)
	if len(r.Releases) > 0 && d.settings.HistoryTime <= 0 {
		f.note("releases are not tested: limits.history_minutes is 0", "")
	}
}

// examinePatterns reports which branches and tags of the remote match patterns, which setting names.
func examinePatterns(
	setting string, r repository.Repository, patterns []string, sight git.RemoteInfo, f *List,
) {
	matching := func(names []string, patterns ...string) int {
		r.Releases = patterns
		return len(slices.DeleteFunc(slices.Clone(names),
			func(name string) bool { return !r.IsRelease(name) }))
	}
	for _, p := range patterns {
		if matching(sight.Branches, p)+matching(sight.Tags, p) == 0 {
			f.warn(fmt.Sprintf("%s: no branch and no tag has a name like %q", setting, p),
				"correct the pattern in the configuration, or remove it")
		}
	}
	branches := matching(sight.Branches, patterns...)
	if tags := matching(sight.Tags, patterns...); branches+tags > 0 {
		f.ok("%s: %s and %s match %s", setting, countedBranches(branches), plaintext.CountNoun(tags, "tag"),
			strings.Join(patterns, ", "))
	}
}

func countedBranches(n int) string {
	if n == 1 {
		return "1 branch"
	}
	return fmt.Sprintf("%d branches", n)
}

func remoteRefusal(f *List, what string, err error) {
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && refused.Retry:
		f.problem(what+": "+refused.Reason,
			"check the address, and that this machine reaches it; it may be temporary")
	case errors.As(err, &refused) && strings.Contains(refused.Reason+refused.Cure, "token"):
		f.problem(what+": "+refused.Reason, refused.Cure+
			"; it is read from the variable that token_env names, or else from "+secrets.GitToken)
	case errors.As(err, &refused):
		f.problem(what+": "+refused.Reason, refused.Cure)
	case errors.Is(err, context.DeadlineExceeded):
		f.problem(what+": it does not answer in time", "check the address, and that this machine reaches it")
	default:
		f.problem(what+": "+err.Error(), "")
	}
}

// examineToolchain checks that commands in the sandbox find the program that builds and tests a project of
// that kind.
func (d *Doctor) examineToolchain(ctx context.Context, r repository.Repository, kind string, f *List) {
	box := d.openedSandbox(ctx)
	if box == nil {
		return // the part "sandbox" reports it
	}
	if r.Build != "" && r.Test != "" {
		return // configured commands: what programs they need is not known
	}
	at := slices.IndexFunc(tools, func(t toolchain) bool { return t.kind == kind })
	if at < 0 {
		return
	}
	t := tools[at]
	if programsInside(ctx, box)[t.program] {
		f.ok("its checks run with %s, which commands find", t.program)
		return
	}
	f.warn(fmt.Sprintf("its checks need %s, which commands do not find: nothing can be proven",
		t.program), t.cure+", where every user can read it")
}
