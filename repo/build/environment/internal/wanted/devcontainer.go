package wanted

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// DevcontainerFiles are the files that describe a development container; the first one that exists counts.
var DevcontainerFiles = []string{".devcontainer/devcontainer.json", ".devcontainer.json"}

// A Devcontainer is what a devcontainer.json says.
type Devcontainer struct {
	File     string
	Image    string            // that it names, or from which its Dockerfile begins
	Built    string            // the Dockerfile by which the image is built; empty: the image is as named
	Versions []Version         // by the features, or else by the image
	Env      map[string]string // without values of the machine of whoever opens it
	Compose  []string          // compose files, by their paths in the repository
	Commands []string          // that run in a new container, and those of the Dockerfile
	// Left are sentences about what is asked for and not done.
	Left []string
}

// devcontainerJSON are the keys of a devcontainer.json that are read.
type devcontainerJSON struct {
	Image      string `json:"image"`
	Dockerfile string `json:"dockerFile"`
	Context    string `json:"context"`
	Build      struct {
		Dockerfile string            `json:"dockerfile"`
		Args       map[string]string `json:"args"`
		Target     string            `json:"target"`
	} `json:"build"`
	Features     map[string]any `json:"features"`
	ContainerEnv map[string]any `json:"containerEnv"`
	RemoteEnv    map[string]any `json:"remoteEnv"`
	Compose      any            `json:"dockerComposeFile"`

	OnCreate      any `json:"onCreateCommand"`
	UpdateContent any `json:"updateContentCommand"`
	PostCreate    any `json:"postCreateCommand"`
}

// refused are keys that reach beyond a container, with what they ask for. Nothing of it is done.
var refused = []struct{ key, what string }{
	{"privileged", "a privileged container"},
	{"mounts", "folders of the host"},
	{"workspaceMount", "a folder of the host"},
	{"runArgs", "arguments for the engine"},
	{"capAdd", "rights of a container"},
	{"securityOpt", "rights of a container"},
	{"initializeCommand", "a command on the host"},
	{"secrets", "secrets"},
}

// ReadDevcontainer reads the repository's devcontainer.json. It returns nil if there is none, and an error if
// it cannot be read. read returns the content of a file, or an empty string.
func ReadDevcontainer(read func(name string) string) (*Devcontainer, error) {
	d := &Devcontainer{Env: map[string]string{}}
	text := ""
	for _, d.File = range DevcontainerFiles {
		if text = read(d.File); text != "" {
			break
		}
	}
	if text == "" {
		return nil, nil
	}
	plain, err := hujson.Standardize([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.File, err)
	}
	var file devcontainerJSON
	var keys map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(plain, &file), json.Unmarshal(plain, &keys)); err != nil {
		return nil, fmt.Errorf("%s: %w", d.File, err)
	}
	d.takeImage(file, read)
	d.takeFeatures(file.Features)
	d.takeEnv(file)
	for _, command := range []any{file.OnCreate, file.UpdateContent, file.PostCreate} {
		d.Commands = append(d.Commands, commandLines(command)...)
	}
	d.Compose = d.paths(file.Compose)
	for _, r := range refused {
		if raw, ok := keys[r.key]; ok && !slices.Contains([]string{"false", "[]", "{}", `""`, "null"},
			string(raw)) {
			d.leave("asks for %s (%s)", r.what, r.key)
		}
	}
	return d, nil
}

// leave adds a sentence about what is not done.
func (d *Devcontainer) leave(format string, args ...any) {
	d.Left = append(d.Left, d.File+" "+fmt.Sprintf(format, args...)+": not done")
}

// takeImage takes the image, or that of the Dockerfile, with the version of the tool that it is named after.
func (d *Devcontainer) takeImage(file devcontainerJSON, read func(string) string) {
	d.Image = file.Image
	name := file.Build.Dockerfile
	if name == "" {
		name = file.Dockerfile
	}
	if built := d.paths(name); len(built) > 0 {
		d.Built = built[0]
		read := ReadDockerfile(read(built[0]), file.Build.Args, file.Build.Target)
		d.Image = read.Image
		d.Commands = append(d.Commands, read.Run...)
	}
	if strings.Contains(d.Image, "$") {
		d.Image = ""
	}
	d.Versions = OfImage(d.Image)
}

// takeFeatures takes the versions of tools that are added to the image; they win over those of the image.
func (d *Devcontainer) takeFeatures(features map[string]any) {
	var added []Version
	for _, name := range slices.Sorted(maps.Keys(features)) {
		tool, known := ToolNamed(strings.SplitN(path.Base(name), ":", 2)[0])
		options, _ := features[name].(map[string]any)
		version, ok := options["version"].(string)
		if !ok {
			version, _ = features[name].(string) // an older form
		}
		if known {
			added = append(added, oneVersion(tool)(version)...)
		}
	}
	d.Versions = Add(Add(nil, d.File, added), d.File, d.Versions)
}

// secretName matches the names of variables that may hold a secret. Passwords are not among them: those of a
// test database are values like others.
var secretName = regexp.MustCompile(`(?i)token|secret|api_?key|access_?key|private_?key|credential`)

// takeEnv takes the variables. Values from the machine of whoever opens the container are left out: they may
// be secrets, and here they would be those of the program.
func (d *Devcontainer) takeEnv(file devcontainerJSON) {
	for _, env := range []map[string]any{file.ContainerEnv, file.RemoteEnv} {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			value, ok := env[name].(string)
			switch {
			case !ok:
			case strings.Contains(value, "${localEnv:"), strings.Contains(value, "${env:"):
				d.leave("sets %.60s to a value of the host (%.60s)", name, value)
			case secretName.MatchString(name):
				d.leave("sets %.60s, which looks like a secret", name)
			case !strings.Contains(value, "${"):
				d.Env[name] = value
			}
		}
	}
}

// paths returns file names of the devcontainer.json as paths in the repository; those outside are left out.
func (d *Devcontainer) paths(value any) (out []string) {
	list, _ := value.([]any)
	if name, ok := value.(string); ok && name != "" {
		list = []any{name}
	}
	for _, v := range list {
		name, _ := v.(string)
		at := path.Join(path.Dir(d.File), name)
		if name == "" || path.IsAbs(name) || at == ".." || strings.HasPrefix(at, "../") {
			d.leave("names %.60q, which is outside the repository", name)
			continue
		}
		out = append(out, at)
	}
	return out
}

// commandLines returns the lines of a command: a string, a list of arguments, or several by name.
func commandLines(value any) (lines []string) {
	switch v := value.(type) {
	case string:
		lines = append(lines, v)
	case []any:
		var words []string
		for _, w := range v {
			if word, ok := w.(string); ok {
				words = append(words, word)
			}
		}
		lines = append(lines, strings.Join(words, " "))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if _, nested := v[name].(map[string]any); !nested {
				lines = append(lines, commandLines(v[name])...)
			}
		}
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}
