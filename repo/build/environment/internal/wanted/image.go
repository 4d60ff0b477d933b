package wanted

import (
	"regexp"
	"strings"
)

var (
	tagVersion = regexp.MustCompile(`^v?(\d+(?:\.\d+)*)`)
	// twoVersions matches the tag of an image of devcontainers: that of the image, then that of the tool, as
	// in 1-3.12-bookworm.
	twoVersions = regexp.MustCompile(`^\d+(?:\.\d+)*-(\d+(?:\.\d+)*)(?:-|$)`)
)

// OfImage returns the version of a tool that an image has by its name, such as node:22-alpine. It returns
// nothing if the name tells of none.
func OfImage(image string) []Version {
	image, _, _ = strings.Cut(image, "@")
	name, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	tool, known := ToolNamed(strings.ToLower(name))
	if !known {
		return nil
	}
	m := tagVersion.FindStringSubmatch(tag)
	if strings.Contains(image, "devcontainers/") {
		if two := twoVersions.FindStringSubmatch(tag); two != nil {
			m = two
		}
	}
	if m == nil {
		return nil
	}
	return []Version{{Tool: tool, Wants: m[1]}}
}

var argument = regexp.MustCompile(`\$\{(\w+)(?::-([^{}]*))?\}|\$(\w+)`)

// expandArguments replaces the arguments of a Dockerfile in a text.
func expandArguments(text string, values map[string]string) string {
	return argument.ReplaceAllStringFunc(text, func(all string) string {
		m := argument.FindStringSubmatch(all)
		if value, ok := values[m[1]+m[3]]; ok {
			return value
		}
		return m[2]
	})
}

// A Dockerfile is what the text of one says.
type Dockerfile struct {
	Image string   // from which its last stage begins, with the arguments filled in
	Run   []string // the commands of that stage and of those that it builds on
}

// ReadDockerfile reads a Dockerfile. args replace the defaults of its arguments; stage is the wanted one,
// empty: the last.
func ReadDockerfile(text string, args map[string]string, stage string) (d Dockerfile) {
	values := map[string]string{}
	stages := map[string]Dockerfile{}
	name := ""
	for _, line := range joinedLines(text) {
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToUpper(word) {
		case "ARG":
			key, value, _ := strings.Cut(rest, "=")
			if given, ok := args[key]; ok {
				value = given
			}
			if _, known := values[key]; !known || value != "" {
				values[key] = expandArguments(strings.Trim(value, `"'`), values)
			}
		case "FROM":
			if stage != "" && name == stage {
				return d
			}
			from := strings.Fields(expandArguments(rest, values))
			for len(from) > 0 && strings.HasPrefix(from[0], "--") {
				from = from[1:]
			}
			if len(from) == 0 {
				continue
			}
			d = Dockerfile{Image: from[0]}
			if before, ok := stages[from[0]]; ok {
				d = before
			}
			name = ""
			if len(from) == 3 && strings.EqualFold(from[1], "as") {
				name = from[2]
			}
			stages[name] = d
		case "RUN":
			d.Run = append(d.Run[:len(d.Run):len(d.Run)], rest)
			stages[name] = d
		}
	}
	return d
}

// joinedLines returns the lines of a Dockerfile without comments, those that end with a backslash joined.
func joinedLines(text string) (lines []string) {
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part, more := strings.CutSuffix(line, `\`)
		if open {
			lines[len(lines)-1] += " " + part
		} else {
			lines = append(lines, part)
		}
		open = more
	}
	return lines
}

var (
	installs    = regexp.MustCompile(`\bapt(?:-get)?\s+(?:-\S+\s+)*install\s+([^;&|\n]+)`)
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
)

// expression matches a value that CI fills in, such as ${{ matrix.arch }}, which may have spaces.
var expression = regexp.MustCompile(`\$\{\{.*?\}\}`)

// SystemPackages returns the names of Debian's packages that command lines install, without those of which CI
// fills in a part.
func SystemPackages(lines ...string) (names []string) {
	for _, line := range lines {
		line = expression.ReplaceAllString(strings.ReplaceAll(line, "\\\n", " "), "$")
		for _, m := range installs.FindAllStringSubmatch(line, -1) {
			for word := range strings.FieldsSeq(m[1]) {
				word, _, _ = strings.Cut(word, "=")
				if packageName.MatchString(word) {
					names = append(names, word)
				}
			}
		}
	}
	return names
}
