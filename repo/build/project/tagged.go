package project

import (
	"go/build/constraint"
	"io/fs"
	"runtime"
	"slices"
	"strings"
)

// Tagged returns the project that runs those of the given test files that the test command leaves out,
// because a build constraint (https://pkg.go.dev/cmd/go#hdr-Build_constraints) names tags that the command
// does not set. It sets these tags. It returns false if there are no such files, or if no tags would do.
func (p Project) Tagged(root fs.FS, files []string) (Project, bool) {
	if p.Kind != "go" {
		return p, false
	}
	var set []string
	if flag := goTags.FindString(p.Test); flag != "" {
		set = strings.Split(flag[len(" -tags="):], ",")
	}
	var tagged, tags []string
	for _, file := range files {
		if more := missingTags(tree{FS: root}.readText(file), set); len(more) > 0 {
			tagged = append(tagged, file)
			tags = append(tags, more...)
		}
	}
	if len(tagged) == 0 {
		return p, false
	}
	p, ok := p.Only(tagged, nil)
	if !ok {
		return p, false
	}
	tags = append(tags, set...)
	slices.Sort(tags)
	call := goTags.ReplaceAllString(p.Test, "")
	flag := " -tags=" + strings.Join(slices.Compact(tags), ",")
	p.Test = strings.Replace(call, " -vet=off", flag+" -vet=off", 1) // as Only adds it
	return p, true
}

// missingTags returns the tags with which a Go file is built and without which it is not.
func missingTags(text string, set []string) []string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			return nil
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(line)
		if err != nil {
			return nil
		}
		known := func(tag string) bool { return slices.Contains(set, tag) || isUsualTag(tag) }
		var missing []string
		collect := func(tag string) bool {
			if !known(tag) && plainName.MatchString(tag) && !slices.Contains(missing, tag) {
				missing = append(missing, tag)
			}
			return true
		}
		if expr.Eval(known) {
			return nil
		}
		expr.Eval(collect)
		holds := func(tags []string) bool {
			return expr.Eval(func(tag string) bool { return known(tag) || slices.Contains(tags, tag) })
		}
		if holds(missing) {
			return missing
		}
		for i := range missing { // one of them may be wanted unset
			if rest := slices.Delete(slices.Clone(missing), i, i+1); holds(rest) {
				return rest
			}
		}
		return nil
	}
	return nil
}

// isUsualTag reports whether go test sets a tag by itself on this machine.
func isUsualTag(tag string) bool {
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "unix" || tag == "gc" ||
		strings.HasPrefix(tag, "go1.")
}
