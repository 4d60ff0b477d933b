package trial

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// conclude says whether the repository is ready: the tests of its base run, are counted, and mostly pass. A
// build that fails without stopping them is noted.
func (t *trying) conclude() {
	t.findCauses()
	t.trial.Ready = len(t.trial.Causes) == 0
	t.noteRest()
	if t.trial.Ready {
		t.findProvable()
	}
	t.suggest()
}

func (t *trying) cause(kind, what, cure string) {
	t.trial.Causes = append(t.trial.Causes, Cause{kind, what, cure})
}

func (t *trying) note(kind, what, cure string) {
	t.trial.Notes = append(t.trial.Notes, Cause{kind, what, cure})
}

// findCauses finds why nothing can be proven, if that is so. What may be the reason of another cause comes
// first.
func (t *trying) findCauses() {
	switch {
	case t.checker == nil:
		t.trial.Causes = append(t.trial.Causes, t.SandboxOff)
		return
	case t.project.Test == "":
		t.causeOfNoCommand()
		return
	}
	t.causeOfBase()
	if len(t.trial.Causes) > 0 {
		t.trial.Causes = withoutRepeats(append(t.causesBefore(), t.trial.Causes...))
	}
}

// withoutRepeats leaves out causes whose cure is that of an earlier one: one program may be missing for the
// packages, the build and the tests.
func withoutRepeats(list []Cause) (out []Cause) {
	for _, c := range list {
		if c.Kind != CauseNotInstalled || !slices.ContainsFunc(out, func(o Cause) bool {
			return o.Kind == c.Kind && o.Cure == c.Cure
		}) {
			out = append(out, c)
		}
	}
	return out
}

// causeOfNoCommand says why there is no test command.
func (t *trying) causeOfNoCommand() {
	tests := slices.DeleteFunc(slices.Clone(t.paths), func(file string) bool {
		return !project.IsCode(file) || !project.IsTest(t.project.Kind, file)
	})
	if len(tests) == 0 {
		t.cause(CauseNoTests, "there are no tests: no file looks like one",
			"add a first test, and a command that runs it")
		return
	}
	what := fmt.Sprintf("%s like tests (%s), and no command that runs them was found",
		plural(len(tests), "file looks", "files look"), plaintext.FirstOf(tests, 2))
	t.cause(CauseNoCommand, what, "name the command: checks.test of the repository in the configuration")
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// causeOfBase says what is wrong with the run of the base; nothing if it was as a proof needs it.
func (t *trying) causeOfBase() {
	r := t.base
	if r.Missing.Build != "" && r.Missing.Build == r.Missing.Tests {
		t.causeOfMissing("neither the build nor the tests", r.Missing.Tests)
		return
	}
	switch {
	case r.Missing.Build != "":
		t.causeOfMissing("the build", r.Missing.Build)
	case t.buildFails() && !t.testsWork():
		t.cause(CauseBuild, fmt.Sprintf("the build of %s fails: %s", t.subject.Branch, t.project.Build),
			buildCure)
	}
	switch {
	case r.Stopped != "":
		cure := limitCures[r.Stopped]
		if more := r.StopCure(); more != "" {
			cure = "`" + more + "` of the repository allows more; or " + cure
		}
		t.cause(CauseLimit, r.StopReason()+": "+t.trial.Base.Line, cure)
	case r.Missing.Tests != "":
		t.causeOfMissing("the tests", r.Missing.Tests)
	case r.HasNoTests():
		t.cause(CauseNoTests, fmt.Sprintf("`%s` finds no tests", t.trial.Test.Line),
			"name the command that runs them: checks.test; or add a first test")
	case !r.Counted && r.ExitCode != 0:
		t.cause(CauseTests, fmt.Sprintf("the tests do not run: `%s` ends with exit code %d",
			t.trial.Test.Line, r.ExitCode), "correct it, or name another command: checks.test")
	case !r.Counted:
		t.cause(CauseNotCounted, fmt.Sprintf("`%s` ends well, but what it prints is of no test runner that "+
			"is read", t.trial.Test.Line), "name a command that calls the test runner itself: checks.test")
	case r.Failed > r.Passed:
		what := fmt.Sprintf("most tests fail on %s: %d of %d", t.subject.Branch, r.Failed, r.Sum())
		if missing := build.MissingIn(r.Output); missing != "" {
			what += "; " + missing
		}
		t.cause(CauseTests, what, "see what they print")
	}
}

// buildCure is what to do about a build that fails on the base.
const buildCure = "correct it there, or name another command: checks.build"

// buildFails reports whether the build of the base ran and failed.
func (t *trying) buildFails() bool {
	r := t.base
	return r.BuildRan && !r.BuildOK && r.Missing.Build == "" && r.Stopped == ""
}

// testsWork reports whether most tests of the base pass. A proof is made then, too, where the build fails
// before and after: the build itself shows nothing.
func (t *trying) testsWork() bool {
	r := t.base
	return r.TestsRan && r.Counted && r.Missing.Tests == "" && r.Passed > 0 && r.Failed <= r.Passed
}

// limitCures are what to do about the limits of commands.
var limitCures = map[string]string{
	"time":   "name a command with fewer tests: checks.test",
	"memory": "name a command that needs less, such as one with fewer processes at once: checks.test",
	"output": "name a command that prints less: checks.test",
	"disk":   "name a command that writes less: checks.test",
	"files":  "name a command that makes fewer files: checks.test",

	result.LackedFileSize: "name a command that writes smaller files: checks.test",
}

// causeOfMissing says that something is missing without which a command does not start.
func (t *trying) causeOfMissing(of, missing string) {
	verb := " cannot start: "
	if strings.HasPrefix(of, "neither ") {
		verb = " can start: "
	}
	if strings.HasPrefix(missing, "the ") {
		t.cause(CausePackages, of+verb+missing, "")
		return
	}
	program, _, _ := strings.Cut(missing, " is ")
	t.cause(CauseNotInstalled, of+verb+missing, installCure(program))
}

// packagesOf are the names of Debian's packages, where they differ from the program.
var packagesOf = map[string]string{
	"go": "golang-go", "node": "nodejs", "cargo": "cargo", "python3": "python3", "bundle": "ruby-bundler",
	"rake": "rake", "mvn": "maven", "mix": "elixir", "prove": "perl", "php": "php-cli", "cc": "gcc",
	"phpunit": "phpunit", "meson": "meson", "ninja": "ninja-build", "bats": "bats",
}

// installCure says how to install a program.
func installCure(program string) string {
	how := ""
	switch name, known := packagesOf[program]; {
	case program == "pnpm" || program == "yarn":
		how = " (npm install -g " + program + ")"
	case known:
		how = " (apt-get install " + name + ")"
	}
	return "install it" + how + " where every user can read it, such as below /usr"
}

// causesBefore returns what may be the reason why the base does not work.
func (t *trying) causesBefore() (causes []Cause) {
	for _, m := range t.missing {
		kind := CausePackages
		cure := m.Cure
		if m.Tool != "" {
			kind = CauseNotInstalled
			cure = installCure(m.Tool)
		}
		causes = append(causes, Cause{
			kind,
			fmt.Sprintf("the packages of %s are missing: %s", m.Names, m.Why), cure,
		})
	}
	for _, v := range t.trial.Versions {
		if v.Differs && t.uses(v.Tool) {
			causes = append(causes, Cause{
				CauseVersion, v.From + " " + v.String(),
				"install that version where every user can read it, such as below /usr",
			})
		}
	}
	return causes
}

// languageTools are the tools that projects of one kind need, which has the same name.
var languageTools = []string{"go", "node", "python", "ruby", "java", "php", "rust", "elixir"}

// uses reports whether the build and the tests of the repository may need a tool: it is that of its language,
// or of none, or a command names it.
func (t *trying) uses(tool string) bool {
	return !slices.Contains(languageTools, tool) || tool == t.project.Kind ||
		strings.Contains(t.project.Build+" "+t.project.Test, tool)
}

// noteRest notes what people should know, whether the repository is ready or not.
func (t *trying) noteRest() {
	r := t.base
	if t.trial.Ready {
		for _, c := range t.causesBefore() {
			if c.Kind != CauseVersion { // its line says it
				t.note(c.Kind, c.What, c.Cure)
			}
		}
	}
	if t.trial.Ready && t.buildFails() {
		t.note(CauseBuild, fmt.Sprintf("the build of %s fails (%s), so only the tests prove",
			t.subject.Branch, t.project.Build), buildCure)
	}
	if line := t.trial.packagesLine; line != "" {
		t.note(CauseSystem, line, "install them where tests fail without them")
	}
	for _, line := range t.instead {
		t.note(CausePackages, line, "")
	}
	for _, line := range t.trial.Unused {
		t.note(CauseUnused, line, "")
	}
	for _, s := range t.services {
		if line := s.Line(); line != "" {
			t.note(CauseService, line, "")
		}
	}
	for _, left := range r.LeftOut[:min(len(r.LeftOut), maxFailures)] {
		t.note(CauseLimit, fmt.Sprintf("%s cannot run here: %s", left.Name, left.Why),
			"all other tests prove; this one is left out on both sides")
	}
	if n, example := r.Absent(); n > 0 {
		t.note(CauseFailing, fmt.Sprintf("%s, since %s is not here",
			plural(n, "test cannot be run here", "tests cannot be run here"), example),
			"what was not fetched is named above, with its cure")
	}
	if unread, stated := r.Unread(); unread > 0 {
		t.note(CauseNotCounted, fmt.Sprintf("the test runner tells of %d tests, and %d of them were not read",
			stated, unread), "report that as a fault of Bobbin, with what the tests print")
	}
	if n, line := unreached(r); n > 0 {
		t.note(CauseService, fmt.Sprintf("%s reach a server (%s)",
			plural(n, "test that fails could not", "tests that fail could not"), line),
			"commands have no network; name the servers under services of the repository, or have the test "+
				"command start them")
	}
	if t.trial.Ready && r.Failed > 0 {
		what := plural(r.Failed, "test fails", "tests fail")
		t.note(CauseFailing, fmt.Sprintf("%s on %s already: %s", what, t.subject.Branch,
			plaintext.FirstOf(t.trial.Base.Failures, 3)),
			"nothing is proven by a test that fails on the base")
	}
	if r.Skipped > r.Passed+r.Failed {
		t.note(CauseSkipped, fmt.Sprintf("most tests are skipped: %d of %d", r.Skipped, r.Sum()),
			"see what they wait for: what they cover cannot be proven")
	}
	if n := len(t.trial.Flaky); n > 0 {
		t.note(CauseFlaky, fmt.Sprintf("%s another result in the second run: %s",
			plural(n, "test has", "tests have"), plaintext.FirstOf(t.trial.Flaky, 5)),
			"correct or skip them: a proof that they disturb is repeated")
	}
	if n := len(t.trial.Unstable); n > 0 {
		t.note(CauseFlaky, fmt.Sprintf("%s only in one of the two runs, by name: %s",
			plural(n, "test is", "tests are"), plaintext.FirstOf(t.trial.Unstable, 3)),
			"a name should not hold a time, a number of a port or the like")
	}
	t.noteMissingFiles()
}

func (t *trying) noteMissingFiles() {
	var paths []string
	for _, s := range t.trial.Submodules {
		if !s.Fetched {
			paths = append(paths, s.Path)
		}
	}
	if n := len(paths); n > 0 {
		t.note(CauseSubmodules, fmt.Sprintf("%s: %s",
			plural(n, "submodule is an empty folder here", "submodules are empty folders here"),
			plaintext.FirstOf(paths, 3)), "what needs them cannot be built or tested")
	}
	for _, m := range t.lfsMissing {
		what := fmt.Sprintf("%s only a pointer here, such as %s",
			plural(m.LFSFiles, "file of Git LFS is", "files of Git LFS are"), m.LFSExample)
		if m.Host != "" {
			what += " (" + m.Host + ")"
		}
		t.note(CauseLFS, what+": "+m.Why, m.Cure)
	}
	if lfs := t.trial.LFS; lfs != nil && lfs.Files > 0 && len(t.lfsMissing) == 0 {
		t.note(CauseLFS, fmt.Sprintf("%s only a pointer here, such as %s",
			plural(lfs.Files, "file of Git LFS is", "files of Git LFS are"), lfs.Example),
			"tests that read them fail")
	}
}

// findProvable says what can be proven.
func (t *trying) findProvable() {
	r := t.base
	named := plural(r.Sum(), "test is", "tests are") + " counted and named"
	if !r.EveryTestNamed() {
		named = plural(r.Sum(), "test is", "tests are") + " counted, and those that fail are named"
	}
	t.trial.Provable = append(t.trial.Provable,
		fmt.Sprintf("a fix, by a test that fails on %s and passes with the fix: %s", t.subject.Branch, named),
		"that the tests which pass today still pass")
	n := t.trial.Near
	if n == nil {
		t.trial.Provable = append(t.trial.Provable, "each check runs all tests: no way was found to run "+
			"those near a change alone")
	} else {
		t.trial.Provable = append(t.trial.Provable, fmt.Sprintf("soon: the tests near a change run first "+
			"(near %s: %s in %s)", n.File, plaintext.CountNoun(n.Passed+n.Failed+n.Skipped, "test"),
			InWords(n.Seconds)))
	}
}

// InWords returns a time in seconds for people: "0.3 s", "4 min 10 s".
func InWords(seconds float64) string {
	switch whole := int(seconds + 0.5); {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case whole < 100:
		return fmt.Sprintf("%d s", whole)
	default:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	}
}

// suggest finds settings of the configuration that would help.
func (t *trying) suggest() {
	set := func(why string, value any, key ...string) {
		t.trial.Settings = append(t.trial.Settings, Setting{key, value, why})
	}
	for _, m := range t.missing {
		of := "for the packages of " + m.Names
		switch {
		case len(m.Allow) > 0:
			set(of+": the hosts that may be asked", m.Allow, "setup", "allow")
		case len(m.Private) > 0:
			set(of+": hosts in your own network", m.Private, "setup", "private")
		case m.OutOfTime:
			set(of+": they took longer than the 10 minutes that are the default", 30, "setup", "minutes")
		}
	}
	t.trial.Settings = append(t.trial.Settings, limitSettings(t.base)...)
	if dir, why := t.otherFolder(); dir != "" {
		set(why, dir, "scope")
		return
	}
	if t.buildFails() && t.testsWork() {
		set("the tests run without the build; this leaves it out", "true", "checks", "build")
	}
}

// checksLine matches a setting of result.Result.StopCure.
var checksLine = regexp.MustCompile(`^checks: \{(\w+): (.+)\}$`)

// limitSettings returns the settings that give a run more of what it, or a test of it, lacked.
func limitSettings(r result.Result) (list []Setting) {
	add := func(cure, why string) {
		m := checksLine.FindStringSubmatch(cure)
		known := func(s Setting) bool { return s.Key[1] == m[1] }
		if m == nil || slices.ContainsFunc(list, known) {
			return
		}
		s := Setting{Key: []string{"checks", m[1]}, Value: m[2], Why: why}
		if n, err := strconv.Atoi(m[2]); err == nil {
			s.Value = n
		}
		list = append(list, s)
	}
	reason := "tests " + r.Limits.Needed(r.Limited())
	if r.Stopped != "" {
		reason = "it " + r.StopReason()
	}
	add(r.StopCure(), reason)
	for _, left := range r.LeftOut {
		add(left.Cure, left.Name+" "+left.Why)
	}
	return list
}

// manifests are the names of files that begin a project of its own.
var manifests = []string{
	"go.mod", "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "Makefile", "requirements.txt",
}

// otherFolder returns the folder whose project has the most files, if there are no tests at the top but in
// folders below it. why names the others.
func (t *trying) otherFolder() (dir, why string) {
	if t.project.Test != "" || t.trial.Folder != "" {
		return "", ""
	}
	files := map[string]int{} // by folder
	for _, file := range t.paths {
		if slices.Contains(manifests, path.Base(file)) && path.Dir(file) != "." && !isForeign(file) &&
			strings.Count(file, "/") <= 3 {
			files[path.Dir(file)] = 0
		}
	}
	repo := t.subject.Repository
	for folder := range files {
		repo.Scope = folder
		if repo.Project(t.files).Test == "" {
			delete(files, folder)
		}
	}
	for _, file := range t.paths {
		for folder := range files {
			if strings.HasPrefix(file, folder+"/") && project.IsCode(file) {
				files[folder]++
			}
		}
	}
	var others []string
	for folder, n := range files {
		if dir == "" || n > files[dir] || n == files[dir] && folder < dir {
			dir = folder
		}
		others = append(others, folder)
	}
	others = slices.DeleteFunc(others, func(folder string) bool { return folder == dir })
	slices.Sort(others)
	why = "the tests are in folders; this limits the work to one of them"
	if len(others) > 0 {
		why += " (others: " + plaintext.FirstOf(others, 5) + "; one entry for each)"
	}
	return dir, why
}
