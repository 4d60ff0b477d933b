package turn

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow"
)

// maxLinked is how many places of one line are looked at.
const maxLinked = 40

// located says which places in a text are there, at the commit that was looked at, so that
// the thread can link them. Nil where the host has no pages for code, or once files have
// been changed: the lines are others then.
func (t *Trees) located(text string) *workflow.Code {
	p, s := t.here(), t.Session()
	if p == nil || p.repository.CodeURL == "" || s.Branch != "" || s.BaseCommit == "" {
		return nil
	}
	c := &workflow.Code{Repository: p.repository.Name, Commit: s.BaseCommit}
	for _, m := range placeMark.FindAllStringSubmatch(text, maxLinked) {
		if !slices.Contains(c.Places, m[0]) && t.isThere(m[1], m[2]) {
			c.Places = append(c.Places, m[0])
		}
	}
	if c.Places == nil {
		return nil
	}
	return c
}

// isThere looks for exactly that path and line.
func (t *Trees) isThere(path, line string) bool {
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 {
		return false
	}
	b, err := readSome(t.here().look.FS(), path, maxEvidence)
	return err == nil && n <= bytes.Count(b, []byte{'\n'})+1
}
