package build

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/internal/runners"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Progress says how far a run is.
type Progress struct {
	Run   string        // what runs: "tests on main", or "build for the tests on main"
	Tests int           // how many tests have ended; 0: none, or the runner names them only at its end
	Of    int           // about how many there are; 0: not known
	Ran   time.Duration // since the run began
	About time.Duration // about how long it takes in all; 0: not known
}

// String returns the progress without Ran: "tests on main: 1,204 of about 4,151 tests (about 14 minutes in
// all)".
func (p Progress) String() string {
	text := p.Run
	if p.Tests > 0 {
		text += ": " + p.Count()
	}
	if p.About > 0 {
		text += " (about " + roughly(p.About) + " in all)"
	}
	return text
}

// Count returns how many tests have ended: "1,204 of about 4,151 tests", or "12 tests so far". It is empty if
// there is none.
func (p Progress) Count() string {
	switch {
	case p.Tests == 0:
		return ""
	case p.Of >= p.Tests:
		return fmt.Sprintf("%s of about %s tests", thousands(p.Tests), thousands(p.Of))
	case p.Tests == 1:
		return "1 test so far"
	}
	return thousands(p.Tests) + " tests so far"
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// roughly writes a duration in whole minutes, or below two minutes in seconds.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return plaintext.CountNoun(max(1, int(d.Round(time.Second)/time.Second)), "second")
	}
	return plaintext.CountNoun(int(d.Round(time.Minute)/time.Minute), "minute")
}

// A Watch is called for each run that takes longer than a few seconds. more is called with its later
// progress, every ten seconds at most, and end when it has ended.
type Watch func(Progress) (more func(Progress), end func())

const (
	// watchAfter is how long a run takes before its progress is told, and watchEvery how often it is then.
	watchAfter = 5 * time.Second
	watchEvery = 10 * time.Second
	// maxLook is how many bytes of the output are read at once, so that counting slows no run.
	maxLook = 4 << 20
)

// WatchedBy returns a copy of the Checker that tells w how far its runs are.
func (c *Checker) WatchedBy(w Watch) *Checker {
	watched := *c
	watched.watch = w
	return &watched
}

// Named returns a copy of the Checker whose runs have that name for people: "tests on the branch". like is
// the result of a run of about the same tests, such as that of the base; the zero value: there is none.
func (c *Checker) Named(name string, like result.Result) *Checker {
	named := *c
	named.name = name
	named.like = like
	return &named
}

// OnBase returns a copy of the Checker for work that starts from the branch or tag of that name.
func (c *Checker) OnBase(name string) *Checker {
	on := *c
	on.base = name
	return &on
}

// BaseName returns the name of the base for people: that of OnBase, otherwise the repository's default
// branch.
func (c *Checker) BaseName() string {
	name := c.base
	if name == "" && c.Cache != nil && c.Cache.Mirror() != nil {
		name = c.Cache.Mirror().Commits().DefaultBranch()
	}
	return cmp.Or(name, "the base")
}

// runName returns the name of Named, or by default that of a run of the base.
func (c *Checker) runName() string { return cmp.Or(c.name, "tests on "+c.BaseName()) }

// A watchedRun is a run whose progress is told.
type watchedRun struct {
	checker *Checker
	began   time.Time

	mu       sync.Mutex
	building bool
	before   int      // tests of earlier commands of the run
	out      *capture // of the command that runs; nil: none does
	read     int64    // how much of out was read
	counter  runners.Counter
	tests    int
}

// watchRun begins to tell how far a run is. end has to be called when it has ended.
func (c *Checker) watchRun(building bool) (w *watchedRun, end func()) {
	if c.watch == nil {
		return nil, func() {}
	}
	w = &watchedRun{checker: c, began: time.Now(), building: building}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.tell(stop)
	}()
	return w, func() {
		close(stop)
		<-done
	}
}

// tell tells the progress until stop is closed.
func (w *watchedRun) tell(stop chan struct{}) {
	timer := time.NewTimer(cmp.Or(w.checker.watchAfter, watchAfter))
	defer timer.Stop()
	var more func(Progress)
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		}
		if p := w.look(); more == nil {
			var end func()
			more, end = w.checker.watch(p)
			defer end()
		} else {
			more(p)
		}
		timer.Reset(cmp.Or(w.checker.watchEvery, watchEvery))
	}
}

// look reads what was printed since the last look.
func (w *watchedRun) look() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Progress{Run: w.checker.runName(), Ran: time.Since(w.began), About: w.checker.like.Took}
	if w.building {
		p.Run = "build for the " + p.Run
		return p
	}
	if w.out != nil {
		var part string
		part, w.read = w.out.since(w.read, maxLook)
		w.tests = w.before + w.counter.Add(part)
	}
	p.Tests = w.tests
	p.Of = w.checker.like.Sum()
	return p
}

// follow begins to read the output of a command of the tests.
func (w *watchedRun) follow(out *capture) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = out
	w.read = 0
	w.counter = runners.Counter{}
	w.tests = w.before
}

// built says that the build has ended.
func (w *watchedRun) built() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.building = false
	w.out = nil
}

// goOnFrom says how many tests earlier commands of the run had.
func (w *watchedRun) goOnFrom(tests int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = tests
}

// figuresOf returns what is known of earlier runs of a project's tests on the base, of whichever commit.
func (c *Checker) figuresOf(p project.Project) (like result.Result) {
	if file, err := c.cacheOrEmpty().resultFile(figuresName(p)); err == nil {
		like, _ = loadResult(file)
	}
	return like
}

// keepFigures stores how many tests a run of the base had and how long it took, for figuresOf.
func (c *Checker) keepFigures(p project.Project, r result.Result) error {
	file, err := c.cacheOrEmpty().resultFile(figuresName(p))
	if err != nil || r.Stopped != "" {
		return err
	}
	return saveResult(file, result.Result{Counts: r.Counts, Took: r.Took, BuildTook: r.BuildTook})
}

func figuresName(p project.Project) string {
	return "last-" + resultName("", project.Project{Build: p.Build, Test: p.Test, Written: p.Written}, "", "")
}
