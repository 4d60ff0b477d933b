package hosttest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// registerCommits registers GitHub's Git database, which stores objects in the bare repository of the Config
// with the git program. It signs the commits as those of an App, with the key of the Config.
func (g gitHub) registerCommits(in func(string, func(http.ResponseWriter, *http.Request))) {
	in("POST /git/blobs", g.createBlob)
	in("POST /git/trees", g.createTree)
	in("POST /git/commits", g.createCommit)
	in("GET /git/commits/{commit}", func(w http.ResponseWriter, r *http.Request) {
		g.showCommit(w, r, r.PathValue("commit"))
	})
}

// Author is the author whom GitHub names in the commits that it makes.
const Author = "bobbin[bot] <7+bobbin[bot]@users.noreply.github.com>"

// git runs the git program in the bare repository.
func (g gitHub) git(stdin string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", g.cfg.Git, "-c", "safe.directory=*"}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), nil
}

// object answers with an object that a git command made, or with its refusal.
func (g gitHub) object(w http.ResponseWriter, r *http.Request, hash string, err error) {
	if err != nil {
		answer(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	show(w, r, map[string]any{"sha": strings.TrimSpace(hash)})
}

func (g gitHub) createBlob(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Content, Encoding string }
	readBody(r, &asked)
	content, err := base64.StdEncoding.DecodeString(asked.Content)
	if err != nil || asked.Encoding != "base64" || g.cfg.Git == "" {
		answer(w, http.StatusUnprocessableEntity, "content is not valid Base64")
		return
	}
	hash, err := g.git(string(content), nil, "hash-object", "-w", "--stdin")
	g.object(w, r, hash, err)
}

func (g gitHub) createTree(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Base string `json:"base_tree"`
		Tree []struct {
			Path, Mode, Type string
			SHA              *string
		}
	}
	readBody(r, &asked)
	dir, err := os.MkdirTemp("", "hosttest-")
	if err != nil {
		answer(w, http.StatusInternalServerError, err.Error())
		return
	}
	defer os.RemoveAll(dir)
	index := []string{"GIT_INDEX_FILE=" + dir + "/index"}
	_, err = g.git("", index, "read-tree", asked.Base)
	for _, e := range asked.Tree {
		if err != nil {
			break
		}
		line := "0 " + strings.Repeat("0", 40) // removes the path
		if e.SHA != nil {
			line = e.Mode + " " + *e.SHA
		}
		_, err = g.git(line+"\t"+e.Path+"\n", index, "update-index", "--index-info")
	}
	hash := ""
	if err == nil {
		hash, err = g.git("", index, "write-tree")
	}
	g.object(w, r, hash, err)
}

// createCommit makes a commit with a time of its own, so that the same request never makes the same commit
// twice.
func (g gitHub) createCommit(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Message, Tree string
		Parents       []string
	}
	readBody(r, &asked)
	g.mu.Lock()
	g.made++
	at := fmt.Sprint(time.Now().Unix() + int64(g.made))
	g.mu.Unlock()
	name, email, _ := strings.Cut(strings.TrimSuffix(Author, ">"), " <")
	env := []string{
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_AUTHOR_DATE=" + at + " +0000",
		"GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=noreply@github.com",
		"GIT_COMMITTER_DATE=" + at + " +0000",
	}
	args := []string{"commit-tree", asked.Tree}
	if g.cfg.SigningKey != "" {
		args = append([]string{"-c", "gpg.format=ssh", "-c", "user.signingKey=" + g.cfg.SigningKey}, args...)
		args = append(args, "-S")
	}
	for _, p := range asked.Parents {
		args = append(args, "-p", p)
	}
	hash, err := g.git(asked.Message, env, args...)
	if err != nil {
		answer(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	g.showCommit(w, r, strings.TrimSpace(hash))
}

// showCommit answers with a commit: what was signed, and the signature.
func (g gitHub) showCommit(w http.ResponseWriter, r *http.Request, hash string) {
	raw, err := g.git("", nil, "cat-file", "commit", hash)
	if err != nil {
		answer(w, http.StatusNotFound, "Not Found")
		return
	}
	head, message, _ := strings.Cut(raw, "\n\n")
	var signature, payload []string
	signed := false
	for line := range strings.SplitSeq(head, "\n") {
		first, is := strings.CutPrefix(line, "gpgsig ")
		switch {
		case is:
			signed = true
			signature = append(signature, first)
		case signed && strings.HasPrefix(line, " "):
			signature = append(signature, line[1:])
		default:
			signed = false
			payload = append(payload, line)
		}
	}
	name, email, _ := strings.Cut(strings.TrimSuffix(Author, ">"), " <")
	v := map[string]any{
		"sha": hash, "author": map[string]any{"name": name, "email": email},
		"verification": map[string]any{
			"verified": false, "reason": "unsigned", "signature": nil, "payload": nil,
		},
	}
	if len(signature) > 0 {
		v["verification"] = map[string]any{
			"verified": true, "reason": "valid", "signature": strings.Join(signature, "\n"),
			"payload": strings.Join(payload, "\n") + "\n\n" + message,
		}
	}
	show(w, r, v)
}
