package trial

import (
	"time"
)

// A Trial is what Bobbin finds in a repository and what could be proven there. Its JSON form is what
// bobbin try --json prints; docs/environments.md describes it. Times are in seconds.
type Trial struct {
	Repository string `json:"repository"` // its name
	URL        string `json:"url"`        // without a password
	Branch     string `json:"branch"`
	Commit     string `json:"commit"`
	Folder     string `json:"folder,omitempty"` // to which the configuration limits the work

	Files      int         `json:"files"`
	Languages  []Language  `json:"languages"`  // those with the most files first
	Kind       string      `json:"kind"`       // go, node, python, rust, make; empty: unknown
	Build      Command     `json:"build"`      // an empty line: there is nothing to build
	Test       Command     `json:"test"`       // an empty line: none was found
	Packages   []Packages  `json:"packages"`   // by package manager
	Services   []Service   `json:"services"`   // that the repository's files name
	Submodules []Submodule `json:"submodules"` // that the commit pins
	LFS        *LFS        `json:"lfs,omitempty"`
	Versions   []Version   `json:"versions"` // of tools
	// Image is the image that devcontainer.json names, or from which its Dockerfile begins; empty: none.
	Image string `json:"image,omitempty"`
	// Unused are lines about what CI, compose and devcontainer files ask for and is not done.
	Unused []string `json:"unused"`

	Base  *Run     `json:"base,omitempty"`  // the base's build and tests
	Again *Run     `json:"again,omitempty"` // the same tests once more
	Near  *Near    `json:"near,omitempty"`  // the tests near one file
	Flaky []string `json:"flaky"`           // tests with different results in the two runs
	// Unstable are tests that only one of the two runs had, such as those with a time in their name.
	Unstable []string `json:"unstable"`

	Ready    bool      `json:"ready"`
	Provable []string  `json:"provable"` // what can be proven, in sentences
	Causes   []Cause   `json:"causes"`   // why it is not ready; none if it is
	Notes    []Cause   `json:"notes"`    // what else to know
	Settings []Setting `json:"settings"` // of the configuration that would help

	packagesLine string // about packages of the system that CI installs and that are not here
}

// A Language is one that files of the repository are written in.
type Language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// A Command is a command line with where it comes from.
type Command struct {
	Line string `json:"line"`
	// From is the file that names it, "the configuration", or empty if it follows from the language and
	// the layout.
	From string `json:"from"`
}

// Packages are those of one package manager.
type Packages struct {
	Manager string   `json:"manager"` // empty: the commands of setup.run
	Files   []string `json:"files"`   // that name them
	Fetched bool     `json:"fetched"` // they are there
	Why     string   `json:"why,omitempty"`
	Cure    string   `json:"cure,omitempty"`
	Output  string   `json:"output,omitempty"` // the last lines of the command that failed

	names string // kind and names, by which a failed fetch is found
}

// A Service is a program that the tests may need, such as a database.
type Service struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"` // the file that names it
}

// A Submodule is a repository within the repository.
type Submodule struct {
	Path string `json:"path"`
	URL  string `json:"url,omitempty"`
	// Fetched is set if its files are there. Otherwise its folder is empty.
	Fetched bool `json:"fetched"`
}

// An LFS says which files are stored in Git LFS.
type LFS struct {
	Patterns []string `json:"patterns"`
	Files    int      `json:"files"`             // that are only pointers here
	Fetched  int      `json:"fetched"`           // whose content was fetched for commands
	Bytes    int64    `json:"bytes,omitempty"`   // of that content
	Example  string   `json:"example,omitempty"` // one of them
}

// A Version is the version of a tool that a file of the repository wants.
type Version struct {
	Tool  string `json:"tool"`
	Wants string `json:"wants"`
	From  string `json:"from"` // the file
	Has   string `json:"has"`  // what commands find; empty: nothing, or it is not known
	// Path is the program that is used instead of the one that commands find first; empty: that one is used.
	Path    string `json:"path,omitempty"`
	Differs bool   `json:"differs"`
}

// A Run is one run of the build and the tests.
type Run struct {
	BuildRan     bool     `json:"build_ran"`
	BuildOK      bool     `json:"build_ok"`
	BuildSeconds float64  `json:"build_seconds"`
	TestsRan     bool     `json:"tests_ran"`
	TestSeconds  float64  `json:"test_seconds"`
	Counted      bool     `json:"counted"` // if false, only the exit code is known
	Passed       int      `json:"passed"`
	Failed       int      `json:"failed"`
	Skipped      int      `json:"skipped"`
	ExitCode     int      `json:"exit_code"`
	Stopped      string   `json:"stopped,omitempty"`  // the limit that ended it: time, memory, disk…
	Memory       int64    `json:"memory_bytes"`       // at the peak of build and tests; 0: not measured
	Processes    int      `json:"processes"`          // likewise, with threads
	Services     float64  `json:"services_seconds"`   // until services were ready; 0: less than a second
	Line         string   `json:"line"`               // the result in one line
	Failures     []string `json:"failures,omitempty"` // the first tests that failed
	Output       string   `json:"output,omitempty"`   // the end of what failed
	EachNamed    bool     `json:"each_named"`         // every test that was counted has a name
}

// A Near is how the tests near one file are run.
type Near struct {
	File    string  `json:"file"`
	Line    string  `json:"line"` // the command
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	Skipped int     `json:"skipped"`
	Seconds float64 `json:"seconds"`
}

// The kinds of Cause.
const (
	CauseSandbox      = "sandbox"       // no sandbox works on this machine
	CauseNoTests      = "no_tests"      // there are none
	CauseNoCommand    = "no_command"    // there are tests, and no command that runs them was found
	CauseNotInstalled = "not_installed" // a program
	CausePackages     = "packages"      // packages are missing
	CauseBuild        = "build"         // the base does not build
	CauseTests        = "tests"         // the tests do not run, or none passes
	CauseNotCounted   = "not_counted"   // the tests run, and cannot be counted
	CauseLimit        = "limit"         // a limit ended them: time, memory, disk
	CauseSystem       = "system"        // packages of the system that CI installs are not here
	CauseUnused       = "unused"        // something that the files ask for is not done
	CauseService      = "service"       // tests ask for a server that is not there
	CauseVersion      = "version"       // another version of a tool is wanted
	CauseSubmodules   = "submodules"
	CauseLFS          = "lfs"
	CauseFlaky        = "flaky"
	CauseFailing      = "failing" // some tests fail on the base
	CauseSkipped      = "skipped" // most tests are skipped
)

// A Cause is one thing that stands in the way, or a note.
type Cause struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	Cure string `json:"cure,omitempty"`
}

// A Setting is one that would help, below the repository's entry in the configuration.
type Setting struct {
	Key   []string `json:"key"`   // such as checks, test
	Value any      `json:"value"` // a string, a number or a list of strings
	Why   string   `json:"why"`
}

// Seconds returns a duration in seconds, in hundredths.
func seconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Millisecond).Milliseconds()) / 1000
}
