package config

import (
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Checks are the commands that build and test a repository, and what each may use. An empty command is
// detected from the repository.
type Checks struct {
	Build string `yaml:"build"`
	Test  string `yaml:"test"`
	// for the tests near a change, with {files} or {packages}; default: made from the test command
	Near string `yaml:"near"`
	Warm string `yaml:"warm"` // off (default) or on: new commits of the base are tested in idle time
	// off, on (default) or red: what CI is offered to prove where nothing can be proven on this machine
	CI string `yaml:"ci"`
	CheckLimits
}

// CheckLimits say what one command of a build or of tests may use. Of a repository, a zero field means the
// default; at the top of the file it is the most that any repository may set, and zero means maxCheck.
type CheckLimits struct {
	Minutes   int       `yaml:"minutes"`   // default 10
	Memory    Megabytes `yaml:"memory"`    // default: a quarter of the machine's, from 2 to 16 GB
	Processes Count     `yaml:"processes"` // including threads; default 512
	Disk      Megabytes `yaml:"disk"`      // default 4 GB
}

// maxCheck are the maxima where the top of the file names none. That of memory is what the machine has.
var maxCheck = CheckLimits{Minutes: 240, Memory: maxMB, Processes: 30_000, Disk: 200 << 10}

// leastMemory and leastProcesses are the smallest values with which a shell and a compiler can run. A smaller
// one has lost its unit.
const (
	leastMemory    = 128 // MB
	leastProcesses = 32
)

// or returns the limits with those of otherwise for the zero fields.
func (l CheckLimits) or(otherwise CheckLimits) CheckLimits {
	if l.Minutes == 0 {
		l.Minutes = otherwise.Minutes
	}
	if l.Memory == 0 {
		l.Memory = otherwise.Memory
	}
	if l.Processes == 0 {
		l.Processes = otherwise.Processes
	}
	if l.Disk == 0 {
		l.Disk = otherwise.Disk
	}
	return l
}

// check adds a problem for each limit that is too small to run anything, or above most, whose values stand at
// the top of the file or are maxCheck.
func (l CheckLimits) check(p *strictyaml.Problems, at string, most CheckLimits) {
	for _, c := range []struct {
		key                string
		value, least, most int
		unit               string
	}{
		{"minutes", l.Minutes, 1, most.Minutes, ""},
		{"memory", int(l.Memory), leastMemory, int(most.Memory), " MB"},
		{"processes", int(l.Processes), leastProcesses, int(most.Processes), ""},
		{"disk", int(l.Disk), 1, int(most.Disk), " MB"},
	} {
		switch {
		case c.value != 0 && c.value < c.least:
			p.At(at+"."+c.key, "checks.%s is %d%s: at least %d%s are needed; sizes are written as 8 GB "+
				"or 500 MB", c.key, c.value, c.unit, c.least, c.unit)
		case c.value > c.most:
			p.At(at+"."+c.key, "checks.%s is %d%s, and at most %d%s are allowed; checks.%s at the top of "+
				"the file allows more", c.key, c.value, c.unit, c.most, c.unit, c.key)
		}
	}
}

// sandboxLimits returns the limits as package sandbox takes them.
func (l CheckLimits) sandboxLimits() sandbox.Limits {
	return sandbox.Limits{
		Time:      time.Duration(l.Minutes) * time.Minute,
		Memory:    int64(l.Memory) << 20,
		Processes: int(l.Processes),
		Disk:      int64(l.Disk) << 20,
	}
}

// MostMemory returns the most bytes of memory that a command of a build or of tests may use on this machine.
func (c Config) MostMemory() int64 {
	most := int64(c.Checks.or(maxCheck).Memory) << 20
	if machine := sandbox.MachineMemory(); machine > 0 {
		most = min(most, machine)
	}
	return most
}

// LimitChecks sets the limits of a checker: the defaults, and those of each repository. No memory limit is
// larger than what the machine has.
func (c Config) LimitChecks(checker *build.Checker) {
	most := c.Checks.or(maxCheck).sandboxLimits()
	within := func(l sandbox.Limits) sandbox.Limits {
		l.Time = min(l.Time, most.Time)
		l.Memory = min(l.Memory, c.MostMemory())
		l.Processes = min(l.Processes, most.Processes)
		l.Disk = min(l.Disk, most.Disk)
		return l
	}
	checker.Limits = within(
		sandbox.Limits{Time: build.DefaultTime, Memory: build.DefaultMemory()}.WithDefaults())
	checker.LimitsOf = map[string]sandbox.Limits{}
	for _, r := range c.Repositories {
		own := within(r.Checks.sandboxLimits())
		if own.Disk > 0 { // one file may be all that is written
			own.FileSize = max(own.Disk, sandbox.Limits{}.WithDefaults().FileSize)
		}
		checker.LimitsOf[r.Name] = own
	}
}
