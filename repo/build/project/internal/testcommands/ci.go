package testcommands

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// CIFiles are the patterns of the files of CI services. Only the last element contains wildcards.
var CIFiles = []string{
	".github/workflows/*.yml", ".github/workflows/*.yaml", ".forgejo/workflows/*.y*ml",
	".gitea/workflows/*.y*ml", ".gitlab-ci.yml", ".circleci/config.yml", ".woodpecker.yml",
	".woodpecker/*.y*ml", ".drone.yml", ".travis.yml", "azure-pipelines.yml",
	".azure-pipelines.yml", "bitbucket-pipelines.yml",
	".buildkite/pipeline.yml", ".cirrus.yml", "appveyor.yml", ".appveyor.yml", "Jenkinsfile",
}

// folderKeys are the keys beside a command whose value is the folder that it runs in.
var folderKeys = []string{"working-directory", "working_directory", "workingDirectory"}

// commandKey matches the keys of a pipeline whose values are commands.
var commandKey = regexp.MustCompile(
	`^(?:run|script|command|commands|bash|sh|\w+_script)$`)

// Limits for the nodes of a file that are read, an alias counted each time, and how deep they are.
const (
	maxNodes     = 50_000
	maxNodeDepth = 40
)

// A pipeline reads the commands of a file of a CI service.
type pipeline struct {
	nodes int
	out   []string
}

// readPipeline reads the commands of any CI service whose file is YAML: the values of the keys run, script
// and the like, wherever they are.
func readPipeline(text string) []string {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	p := pipeline{}
	p.read(&doc, 0)
	if p.nodes > maxNodes {
		return nil
	}
	return p.out
}

func (p *pipeline) read(n *yaml.Node, depth int) {
	if p.nodes++; n == nil || p.nodes > maxNodes || depth > maxNodeDepth {
		return
	}
	if n.Kind == yaml.AliasNode {
		p.read(n.Alias, depth+1)
		return
	}
	if n.Kind != yaml.MappingNode {
		for _, below := range n.Content {
			p.read(below, depth+1)
		}
		return
	}
	folder := ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		for _, key := range folderKeys {
			if n.Content[i].Value == key {
				folder = n.Content[i+1].Value
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if commandKey.MatchString(n.Content[i].Value) {
			p.commands(n.Content[i+1], folder, depth+1)
		} else {
			p.read(n.Content[i+1], depth+1)
		}
	}
}

// commands reads the value of a key for commands: a text, a list of texts, or more keys.
func (p *pipeline) commands(n *yaml.Node, folder string, depth int) {
	if p.nodes++; n == nil || p.nodes > maxNodes || depth > maxNodeDepth {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		p.out = append(p.out, scriptLines(n.Value, folder)...)
	case yaml.SequenceNode:
		for _, below := range n.Content {
			p.commands(below, folder, depth+1)
		}
	case yaml.AliasNode:
		p.commands(n.Alias, folder, depth+1)
	case yaml.MappingNode:
		p.read(n, depth)
	}
}

// scriptLines returns the lines of a script that run in a folder, without those that depend on the run.
func scriptLines(script, folder string) (out []string) {
	for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.Contains(line, "${{") ||
			strings.Contains(line, "<<") {
			continue
		}
		if folder != "" && folder != "." {
			line = "cd '" + strings.ReplaceAll(folder, "'", "") + "' && " + line
		}
		out = append(out, line)
	}
	return out
}

var jenkinsStep = regexp.MustCompile(`\b(?:sh|bat)\s*\(?\s*` +
	`(?:"""((?s:.*?))"""|'''((?s:.*?))'''|"([^"\n]*)"|'([^'\n]*)')`)

// readJenkinsfile reads the steps sh of a Jenkinsfile.
func readJenkinsfile(text string) (out []string) {
	for _, m := range jenkinsStep.FindAllStringSubmatch(text, -1) {
		out = append(out, scriptLines(strings.Join(m[1:], ""), "")...)
	}
	return out
}
