package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Installed says what is installed for the commands of a repository besides its packages.
type Installed struct {
	// the image in which its commands run, for the sandbox kind docker; default: the one that its
	// devcontainer.json names, if the engine has it, or else sandbox.image
	Image string `yaml:"image"`
	// commands that install it, run where packages are fetched; default: none
	Setup commandLines `yaml:"setup"`
	// patterns of the files that they need beside those that they name; default: none
	Inputs []string `yaml:"inputs"`
}

// ReadShort reads the commands alone: one, or a block of several lines.
func (i *Installed) ReadShort(value any) bool { return i.Setup.ReadShort(value) }

func (i *Installed) check(p *strictyaml.Problems, at string, off bool) {
	if off && len(i.Setup) > 0 {
		p.At(at+".setup", "environment.setup needs the network of setup, which is off; "+
			"setup: {run: \"true\"} fetches no packages either")
	}
	for n, line := range i.Setup {
		if strings.TrimSpace(line) == "" {
			p.At(fmt.Sprintf("%s.setup[%d]", at, n), "environment.setup: a command is empty")
		}
	}
	if len(i.Inputs) > 0 && len(i.Setup) == 0 {
		p.At(at+".inputs", "environment.inputs are files for the commands of environment.setup; "+
			"there are none")
	}
	for n, pattern := range i.Inputs {
		clean := path.Clean(pattern)
		if pattern == "" || path.IsAbs(pattern) || clean == ".." || strings.HasPrefix(clean, "../") ||
			!doublestar.ValidatePattern(pattern) {
			p.At(fmt.Sprintf("%s.inputs[%d]", at, n), "environment.inputs %q: the path of files in the "+
				"repository is expected, such as ci/*.sh", pattern)
		}
	}
}

// checkImage checks the image for that kind of sandbox.
func (i *Installed) checkImage(p *strictyaml.Problems, at, kind string) {
	switch {
	case i.Image != "" && kind != sandbox.KindDocker:
		p.At(at+".image", "environment.image needs sandbox.kind docker; with the others commands run with "+
			"the programs of this machine")
	case strings.HasPrefix(i.Image, "-"):
		p.At(at+".image", "image %q: a name is expected", i.Image)
	}
}

// Options returns the settings as package packages takes them.
func (i Installed) Options() packages.Extra { return packages.Extra{Run: i.Setup, Inputs: i.Inputs} }
