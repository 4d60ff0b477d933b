package config

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// A visual names the pages of which pictures are taken before and after a change. What is left out is
// detected.
type visual struct {
	// paths in the repository, also with a query; default: the pages that a change touches
	// or that use what it touches
	Pages []string `yaml:"pages"`
	// command that makes the pages; default: the files are shown as they are in the repository
	Build string `yaml:"build"`
	// the file says: visual: off
	off bool
}

// ReadShort reads the short forms off and false. It returns false for other values.
func (v *visual) ReadShort(value any) bool {
	v.off = value == "off" || value == false
	return v.off
}

// IsOff reports whether pictures are switched off.
func (v *visual) IsOff() bool { return v.off }

// maxVisualPages is the most pages of which pictures are taken after a push.
const maxVisualPages = 5

func (v *visual) check(p *strictyaml.Problems, at string) {
	for i, page := range v.Pages {
		file, _, _ := strings.Cut(page, "?")
		if !fs.ValidPath(file) || file == "." {
			p.At(fmt.Sprintf("%s.pages[%d]", at, i), "visual.pages: %q has to be the path of a file within "+
				"the repository, such as docs/index.html or out/iframe.html?id=cart", page)
		}
	}
	if len(v.Pages) > maxVisualPages {
		p.At(at+".pages", "visual.pages has %d pages; at most %d are shown", len(v.Pages), maxVisualPages)
	}
	if v.Build != "" && len(v.Pages) == 0 {
		p.At(at+".build", "visual.build makes pages; name those to show in visual.pages")
	}
}
