package skill

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// file returns a well-formed SKILL.md.
func file(name string) *fstest.MapFile {
	return &fstest.MapFile{
		Data: []byte("---\nname: " + name + "\ndescription: When it is time.\n---\nDo it.\n"),
	}
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestReadSoundSkills(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want Skill
	}{
		"plain": {
			text("---", "name: x", "description: When.", "---", "", "Do.", "", "More."),
			Skill{Description: "When.", Body: "Do.\n\nMore.\n"},
		},
		"by command": {
			text("---", "name: x", "disable-model-invocation: true", "description: When.", "---", "Do."),
			Skill{Description: "When.", Body: "Do.\n", ByCommand: true},
		},
		"not by command": {
			text("---", "name: x", "disable-model-invocation: false", "description: When.", "---", "Do."),
			Skill{Description: "When.", Body: "Do.\n"},
		},
		"others' keys": {
			text("---", "name: x", "metadata: {a: [1, 2]}", "allowed-tools:", "  - *any",
				"description: When.", "---", "Do."),
			Skill{Description: "When.", Body: "Do.\n"},
		},
		"quotes": {
			text("---", `"name": 'x'`, `description: "When: now # then"`, "---", "Do."),
			Skill{Description: "When: now # then", Body: "Do.\n"},
		},
		"folded": {
			text("---", "name: x", "description: >-", "  When it is", "  time.", "---", "Do."),
			Skill{Description: "When it is time.", Body: "Do.\n"},
		},
		"rule in body": {
			text("---", "name: x", "description: When.", "---", "Do.", "---", "More."),
			Skill{Description: "When.", Body: "Do.\n---\nMore.\n"},
		},
		"from Windows": {
			"\ufeff---\r\nname: x\r\ndescription: When.\r\n---\r\nDo.\r\nMore.",
			Skill{Description: "When.", Body: "Do.\nMore.\n"},
		},
		"long, but sound": {
			text("---", "name: x", "description: "+strings.Repeat("é", maxDescription), "---",
				strings.Repeat("x", maxBody)),
			Skill{
				Description: strings.Repeat("é", maxDescription),
				Body:        strings.Repeat("x", maxBody) + "\n",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skills, problems := Read(fstest.MapFS{"x/SKILL.md": {Data: []byte(c.text)}}, Operator)
			require.Empty(t, problems)
			c.want.Name = "x"
			c.want.Source = Operator
			require.Equal(t, []Skill{c.want}, skills)
		})
	}
}

func TestMalformedSkillsAreNamedAndLeftOut(t *testing.T) {
	t.Parallel()
	front := func(lines ...string) string {
		return text(append(append([]string{"---"}, lines...), "---", "Do.")...)
	}
	for text, want := range map[string]string{
		"": "it has no front matter; begin with a line ---, name and description, " +
			"and a line ---",
		"Do.\n": "it has no front matter; begin with a line ---, name and description, " +
			"and a line ---",
		"---":            "its front matter does not end; end it with a line ---",
		"---\nname: x\n": "its front matter does not end; end it with a line ---",
		front(): "its front matter is empty or no list of keys; write name: " +
			"and description:, a line each",
		front("# nothing"): "its front matter is empty or no list of keys; write name: " +
			"and description:, a line each",
		front("- name"): "its front matter is empty or no list of keys; write name: " +
			"and description:, a line each",
		front("name: x"):         "it has no description; add a line description: that says when to use it",
		front("description: y"):  "it has no name; add the directory's name as name: to its front matter",
		front("name: x", "name"): "line 3 is no YAML: ",
		front("name: a: b"): "line 2 is no YAML: mapping value is not allowed in this context; " +
			"a value with a colon, a # or brackets has to be in quotes",
		front("name: [x"): "line 2 is no YAML: ",
		front("name: x", "a: 1", "a: 2", "description: y"): `line 4 is no YAML: ` +
			`mapping key "a" already defined at [3:1]`,
		front("name: y", "description: y"): "its name y is not " +
			"that of its directory; make them the same",
		front("name: X", "description: y"): "its name X will not " +
			"do; use at most 64 small letters, digits and single dashes between them",
		front("name: x-", "description: y"): "its name x- will not " +
			"do",
		front("name: ../x", "description: y"): "its name ../x will " +
			"not do",
		front("name: "+strings.Repeat("x", 65), "description: y"): "its name " +
			strings.Repeat("x", 65) + " will not do",
		front("name: "+strings.Repeat("x", 500), "description: y"): `its name "` +
			strings.Repeat("x", maxQuoted) + `"… will not do`,
		front(`name: "x\e[31m"`, "description: y"): `its name "x\x1b[31m" ` +
			`will not do`,
		front("name: 1", "description: y"): "its name is not " +
			"plain text; put it in quotes",
		front("name: x", "description: [a, b]"): "its description is " +
			"not plain text; put it in quotes",
		front("name: &a x", "description: *a"): "its name is not " +
			"plain text; put it in quotes",
		front("name: x", "description:"): "its description is " +
			"empty; write it after the colon",
		front("name: x",
			`description: " "`): "it has no description; add a line description: that says when to use it",
		front("name: x", `description: "a\nb"`): "its description " +
			"holds the character U+000A; make it one line of plain text",
		front("name: x", "description: |", "  a", "  - tdd: b"): "its description " +
			"holds the character U+000A; make it one line of plain text",
		front("name: x", `description: "a\u2028b"`): "its description " +
			"holds the character U+2028; make it one line of plain text",
		front("name: x", `description: "a\u202eb"`): "its description " +
			"holds the character U+202E; make it one line of plain text",
		front("name: x", "description: "+strings.Repeat("y", 1025)): "its description is " +
			"too long; shorten it to 1024 characters",
		front(
			"name: x", "description: y", "disable-model-invocation: perhaps",
		): "its disable-model-invocation is neither true nor false; write one of them",
		front("name: x", "description: y", "# "+strings.Repeat("y", maxFront)): "its front matter " +
			"does not end within 4 KiB; end it with a line ---",
		front("name: x", strings.Repeat("# y\n", maxFront/4), "description: y"): "its front matter " +
			"does not end within 4 KiB; end it with a line ---",
		"---\nname: x\ndescription: y\n---\n \n": "there is nothing " +
			"after the front matter; write what the skill says",
		"---\nname: x\ndescription: y\n---": "there is nothing " +
			"after the front matter; write what the skill says",
		"---\nname: x\ndescription: y\n---\n" + strings.Repeat("y", maxBody+1): "its body is longer " +
			"than 64 KiB; shorten it",
		"---\nname: x\ndescription: y\n---\n" + strings.Repeat("y", 1<<20): "it is too long; " +
			"shorten it to 64 KiB of body and 4 KiB of front matter at most",
		"---\nname: x\ndescription: y\n---\na\x00b\n": "it holds a NUL " +
			"character; remove it",
		"---\nname: x\ndescription: y\n---\na\xffb\n": "it is not UTF-8 " +
			"text; save it as UTF-8",
		front("name: x", "description: y", "a: "+strings.Repeat("[", maxFront-100)): "line 4 is no YAML: ",
	} {
		skills, problems := Read(fstest.MapFS{
			"x/SKILL.md":     {Data: []byte(text)},
			"sound/SKILL.md": file("sound"),
		}, Repository)
		require.Len(t, skills, 1, "%.60q", text)
		require.Equal(t, "sound", skills[0].Name)
		require.Len(t, problems, 1, "%.60q", text)
		require.Contains(t, problems[0].String(), "x/SKILL.md: "+want, "%.60q", text)
		requireOneLine(t, problems[0])
	}
}

func requireOneLine(t testing.TB, p Problem) {
	t.Helper()
	require.NotEmpty(t, p.Reason)
	require.Less(t, len(p.String()), 600)
	for _, r := range p.String() {
		require.True(t, shown(r), "%q", p.String())
	}
}

// An alias is only a name for the reader, so this file is not expanded to billions of values.
func TestAliasesAreNotExpanded(t *testing.T) {
	t.Parallel()
	bomb := "---\nname: x\ndescription: y\na0: &a0 [z]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 15), i)
	}
	require.Less(t, len(bomb), maxFront)
	skills, problems := Read(fstest.MapFS{"x/SKILL.md": {Data: []byte(bomb + "---\nDo.\n")}}, Repository)
	require.Empty(t, problems)
	require.Len(t, skills, 1)
}

func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"README.md":                "about",
		".git/SKILL.md":            "x",
		"sound/SKILL.md":           string(file("sound").Data),
		"sound/more.md":            "x",
		"empty/notes.md":           "x",
		"folder/SKILL.md/x":        "x",
		"elsewhere.txt":            string(file("linked").Data),
		"strange\x1b[31m/SKILL.md": "x",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	require.NoError(t, os.Symlink("sound", filepath.Join(dir, "alias")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "linked"), 0o755))
	require.NoError(t, os.Symlink("../elsewhere.txt", filepath.Join(dir, "linked", fileName)))
	want := []string{
		"alias/SKILL.md: it is a symbolic link, which is not followed here; put a directory in its place",
		"empty/SKILL.md: there is no SKILL.md in it; add one, or remove the directory",
		"folder/SKILL.md: it is not a regular file; put one in its place",
		"linked/SKILL.md: it is a symbolic link, which is not followed here; put the file in its place",
		`"strange\x1b[31m/SKILL.md": it has no front matter; begin with a line ---, name and description, ` +
			`and a line ---`,
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	for name, folder := range map[string]fs.FS{"a folder": os.DirFS(dir), "a root": root.FS()} {
		skills, problems := Read(folder, Repository)
		require.Equal(t, []Skill{{
			Name: "sound", Description: "When it is time.", Body: "Do it.\n", Source: Repository,
		}}, skills, name)
		var said []string
		for _, p := range problems {
			said = append(said, p.String())
		}
		require.Equal(t, want, said, name)
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	skills, problems := Read(os.DirFS(filepath.Join(dir, "none")), Operator)
	require.Empty(t, skills)
	require.Empty(t, problems)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	_, problems = Read(os.DirFS(filepath.Join(dir, "file")), Operator)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].String(),
		".: the folder of skills cannot be read; check that it is a folder")
	requireOneLine(t, problems[0])
}

func TestAtMostFiftySkills(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for i := range maxSkills {
		name := fmt.Sprintf("s%03d", i)
		tree[name+"/SKILL.md"] = file(name)
	}
	skills, problems := Read(tree, Repository)
	require.Len(t, skills, maxSkills)
	require.Empty(t, problems) // the control

	tree["s900/SKILL.md"] = file("s900")
	tree["s901/SKILL.md"] = file("s901")
	skills, problems = Read(tree, Repository)
	require.Len(t, skills, maxSkills)
	require.Len(t, problems, 1)
	require.Equal(t, ".: a folder has at most 50 skills, and those from s900 on are left out; "+
		"remove 2 of them", problems[0].String())
}

// FuzzRead checks that Read returns either one well-formed skill or one Problem of one line for any
// SKILL.md in a repository.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		string(file("x").Data), "---\nname: &a x\ndescription: *a\n<<: *a\n---\nDo.",
		"---\r\nname: x\r\ndescription: >\r\n  a\r\n---\r\nDo.",
		"---\n? [name]\n: x\n---\n", "---\n%YAML 1.2\n...\n--- x\n---\n",
		"---\nname: !!binary x\ndescription: \"\\u202e\"\n---\nx", "---\n{name: x, description: y}\n---\nx",
		"---\nname: x\ndescription: |2-\n   y\n---\nx", "---\n- - - ? {[\n---\n", "---\n--- |\n---\n\x00\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		skills, problems := Read(fstest.MapFS{"x/SKILL.md": {Data: data}}, Repository)
		require.Equal(t, 1, len(skills)+len(problems))
		for _, p := range problems {
			requireOneLine(t, p)
		}
		for _, s := range skills {
			require.Equal(t, "x", s.Name)
			require.True(t, utf8.ValidString(s.Body) && !strings.ContainsRune(s.Body, 0) &&
				strings.TrimSpace(s.Body) != "")
			set, _ := NewSet(nil, nil, skills)
			require.LessOrEqual(t, strings.Count(set.Catalogue(), "\n"), 1)
		}
	})
}
