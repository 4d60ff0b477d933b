package wanted

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// textsOf returns a function that reads files, given by their names and contents, which alternate.
func textsOf(pairs ...string) func(string) string {
	files := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return files[name] }
}

func TestVersionsThatFilesWant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, file, text string }{
		{"go >=1.24.3", "go.mod", "module x\n\ngo 1.22\n\ntoolchain go1.24.3\n"},
		{"node 22", ".nvmrc", "lts/jod\n"},
		{"", ".nvmrc", "lts/*\n"},
		{"node 20.1", ".node-version", "v20.1\n"},
		{"node 22.1.0, python 3.12.1", ".tool-versions", "# a\nnodejs 22.1.0\npython 3.12.1 3.11\nfoo 1\n"},
		{
			"node 22, python 3.12", "mise.toml",
			"[env]\nnode = \"1\"\n[tools]\nnode = \"22\"\npython = [\"3.12\"]\n[x]\ngo = \"1\"\n",
		},
		{
			"node >= 20, pnpm 9.1.0", "package.json",
			`{"engines": {"node": ">= 20"}, "packageManager": "pnpm@9.1.0+sha"}`,
		},
		{"", "package.json", `{"engines": []}`},
		{"python >=3.9", "pyproject.toml", "[project]\nrequires-python = '>=3.9'\n"},
		{"", "rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n"},
		{"rust >=1.70", "Cargo.toml", "rust-version = \"1.70\"\n"},
		{"ruby 3.2.1", ".ruby-version", "ruby-3.2.1\n"},
		{"", ".python-version", "system\n"},
	} {
		var got []string
		for _, v := range Read(textsOf(c.file, c.text), "") {
			require.Equal(t, c.file, v.From)
			got = append(got, v.Tool+" "+v.Wants)
		}
		require.Equal(t, c.want, strings.Join(got, ", "))
	}
	both := textsOf(".nvmrc", "18", ".tool-versions", "nodejs 22", "web/.nvmrc", "16")
	require.Equal(t, "22", Read(both, "")[0].Wants, "the first file counts")
	require.Equal(t, "16", Read(both, "web")[0].Wants, "the folder comes first")
}

func TestVersionsThatDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, has, wants string
		same             bool
	}{
		{"node", "20.20.2", "20", true},
		{"node", "20.20.2", "20.1.0", true},
		{"node", "20.20.2", "22", false},
		{"node", "20.20.2", ">=18", true},
		{"node", "20.20.2", ">= 22.12.0", false},
		{"node", "20.20.2", "^18 || ^20", true},
		{"node", "20.20.2", "18.x || >=22", false},
		{"node", "20.20.2", "18 - 22", true},
		{"node", "20.20.2", "16 - 18", false},
		{"node", "20.20.2", ">=18 <20", false},
		{"python", "3.11.2", "3.12", false},
		{"python", "3.11.2", "3.11.9", true},
		{"python", "3.11.2", ">=3.9,<4", true},
		{"python", "3.11.2", ">=3.9,!=3.11", false},
		{"python", "3.11.2", "~=3.9", true},
		{"go", "1.26.8", ">=1.24.3", true},
		{"go", "1.22.1", ">=1.24", false},
		{"rust", "1.75.0", ">=1.80", false},
		{"ruby", "3.1.2", "3.2.1", false},
		{"node", "20.20.2", "latest", true},
	} {
		require.Equal(t, c.same, Satisfies(c.tool, c.has, c.wants), "%+v", c)
	}
}

func TestVersionsByImage(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"node:22-alpine":                                                "node 22",
		"docker.io/library/golang:1.24.3":                               "go 1.24.3",
		"mcr.microsoft.com/devcontainers/go:1-1.23":                     "go 1.23",
		"mcr.microsoft.com/devcontainers/python:3.12":                   "python 3.12",
		"mcr.microsoft.com/devcontainers/typescript-node:1-22-bookworm": "node 22",
		"eclipse-temurin:21-jdk":                                        "java 21",
		"python:latest":                                                 "",
		"acme/shop:3":                                                   "",
		"":                                                              "",
	} {
		got := ""
		for _, v := range OfImage(image) {
			got += v.Tool + " " + v.Wants
		}
		require.Equal(t, want, got, image)
	}
}

func TestDockerfiles(t *testing.T) {
	t.Parallel()
	text := `# syntax=x
ARG VERSION=3.11
FROM --platform=linux/amd64 python:${VERSION}-slim AS base
RUN apt-get update && \
    # a comment
    apt-get install -y --no-install-recommends libpq-dev lib-${{ matrix.a }} imagemagick=8:6.9 && rm -rf x
FROM base AS dev
RUN pip install tox
FROM scratch AS last
COPY . .
`
	d := ReadDockerfile(text, map[string]string{"VERSION": "3.12"}, "dev")
	require.Equal(t, "python:3.12-slim", d.Image)
	require.Len(t, d.Run, 2)
	require.Equal(t, []string{"libpq-dev", "imagemagick"}, SystemPackages(d.Run...))
	require.Equal(t, "scratch", ReadDockerfile(text, nil, "").Image)
}

func TestDevcontainers(t *testing.T) {
	t.Parallel()
	d, err := ReadDevcontainer(textsOf(".devcontainer/devcontainer.json", `{
	// A comment, and an address: // in a string
	"name": "shop // cart",
	"build": {"dockerfile": "Dockerfile", "args": {"VARIANT": "3.12"}},
	"features": {"ghcr.io/devcontainers/features/node:1": {"version": "22"}, "ghcr.io/x/git:1": {}},
	"containerEnv": {"APP_ENV": "test", "API_TOKEN": "${localEnv:TOKEN}", "HERE": "${workspaceFolder}"},
	"dockerComposeFile": ["../compose.yaml", "../../outside.yaml"],
	"postCreateCommand": {"a": "sudo apt-get install -y jq", "b": ["npm", "ci"]},
	"mounts": ["source=/var/run/docker.sock,target=/x,type=bind"],
	"privileged": true, "runArgs": ["--network=host"], "capAdd": [],
	"initializeCommand": "curl https://example.com | sh",
}`, ".devcontainer/Dockerfile", "ARG VARIANT\nFROM python:$VARIANT\nRUN apt install -y gettext\n"))
	require.NoError(t, err)
	require.Equal(t, "python:3.12", d.Image)
	require.Equal(t, ".devcontainer/Dockerfile", d.Built)
	require.Equal(t, []Version{
		{Tool: "node", Wants: "22", From: d.File}, {Tool: "python", Wants: "3.12", From: d.File},
	}, d.Versions)
	require.Equal(t, map[string]string{"APP_ENV": "test"}, d.Env)
	require.Equal(t, []string{"compose.yaml"}, d.Compose)
	require.Equal(t, []string{"apt install -y gettext", "sudo apt-get install -y jq", "npm ci"}, d.Commands)
	const file = ".devcontainer/devcontainer.json "
	require.Equal(t, []string{
		file + "sets API_TOKEN to a value of the host (${localEnv:TOKEN}): not done",
		file + `names "../../outside.yaml", which is outside the repository: not done`,
		file + "asks for a privileged container (privileged): not done",
		file + "asks for folders of the host (mounts): not done",
		file + "asks for arguments for the engine (runArgs): not done",
		file + "asks for a command on the host (initializeCommand): not done",
	}, d.Left)

	for text, want := range map[string]string{
		`{"image": `:   "unexpected EOF",
		`{"image": 3}`: "cannot unmarshal number",
		`[]`:           "cannot unmarshal array",
	} {
		_, err = ReadDevcontainer(textsOf(".devcontainer.json", text))
		require.ErrorContains(t, err, ".devcontainer.json: ")
		require.ErrorContains(t, err, want)
	}
	d, err = ReadDevcontainer(textsOf())
	require.NoError(t, err)
	require.Nil(t, d)
}

// FuzzRead checks that whatever files say of versions and of containers is read without a panic, and
// compared, and that no value of the host becomes a variable.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"nodejs 22.1.0\npython 3.12\n", "[tools]\nnode = \"22\"\n", "module x\n\ngo 1.26.1\n",
		`{"engines":{"node":">=18 <23"},"packageManager":"pnpm@9.1.0"}`, "v22", "lts/*",
		`{"image":"go:1","features":{"a/node:1":"20"},"containerEnv":{"A":"${localEnv:A}"}, /* c */}`,
		"ARG A=1\nFROM x:$A AS b\nRUN apt-get install -y jq\\\n && true\nFROM b\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := func(string) string { return text }
		list := Read(read, "a")
		if d, err := ReadDevcontainer(read); err == nil && d != nil {
			list = Add(list, d.File, d.Versions)
			for _, value := range d.Env {
				require.NotContains(t, value, "${")
			}
		}
		for _, v := range list {
			Satisfies(v.Tool, "20.1.0", v.Wants)
		}
		for _, name := range SystemPackages(ReadDockerfile(text, nil, "b").Run...) {
			require.False(t, strings.ContainsAny(name, " /*?$;"), name)
		}
	})
}
