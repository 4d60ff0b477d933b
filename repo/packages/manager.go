package packages

import "regexp"

// A manager is one package manager: how repositories name its packages, and how they are
// fetched. Each has a file of its own, and a line in the table below.
type manager struct {
	name     string         // of the ecosystem; also the folder below out/ that its packages go to, where they do
	locks    *regexp.Regexp // files that name packages exactly enough to fetch them
	manifest *regexp.Regexp // files that the tool needs beside them
	// needs reports whether the tool needs a file that manifest does not know by its name, and
	// stub whether only its name counts; nil: none.
	needs, stub func(file string) bool
	fetch       func(locks []string) string // the command line that fetches
	vendored    string                      // a folder beside the lock file in which the packages may be in the repository itself
	version     string                      // a command line that says which tool it is
	hosts       []string                    // its registry
}

// managers are those that are found out, in the order in which they run.
var managers = []manager{goModules, npm, pip, cargo}
