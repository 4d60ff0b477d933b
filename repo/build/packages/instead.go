package packages

import (
	"os"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// insteadFile is the file in $TMPDIR in which a package manager's command says from where it took packages,
// instead of the registry.
const insteadFile = "instead"

// readInstead returns what the command wrote into insteadFile, in one line, with the files that name the
// packages; empty: nothing. Commands of the repository's packages may have written it.
func (f *fetchRun) readInstead() string {
	root, err := os.OpenRoot(f.pathOf("scratch"))
	if err != nil {
		return ""
	}
	defer root.Close()
	text, ok := readPlain(root, insteadFile)
	if !ok || f.plan.own {
		return ""
	}
	return f.plan.lockNames() + ": " + plaintext.CutLine(strings.TrimSpace(string(text)), 200)
}

// Instead returns a line for each package manager whose packages come from this machine instead of a
// registry: "pom.xml: from /usr/share/maven-repo instead of the registry".
func (p *Packages) Instead() (lines []string) {
	if p != nil {
		for _, s := range p.sets {
			if s.note.Instead != "" {
				lines = append(lines, s.note.Instead)
			}
		}
	}
	return lines
}
