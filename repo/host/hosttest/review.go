package hosttest

import (
	"net/http"
	"slices"
	"strconv"
)

// takeReview stores a review as the comments of bobbin, like GitHub and Gitea. line is their word for the
// line of a note. A note beside a file that the pull request does not change is refused with all others.
func (s *Server) takeReview(w http.ResponseWriter, r *http.Request, line string) {
	var asked struct {
		Commit   string `json:"commit_id"`
		Event    string
		Body     string
		Comments []map[string]any
	}
	readBody(r, &asked)
	number := r.PathValue("number")
	_, known := s.pull(number)
	for _, c := range asked.Comments {
		if !slices.ContainsFunc(s.filesOf(number), func(f File) bool { return f.Path == c["path"] }) {
			answer(w, http.StatusUnprocessableEntity, "Unprocessable Entity: line must be part of the diff")
			return
		}
	}
	if !known || asked.Event != "COMMENT" || asked.Commit == "" {
		answer(w, http.StatusUnprocessableEntity, "Unprocessable Entity")
		return
	}
	n, _ := strconv.ParseInt(number, 10, 64)
	s.Say(Comment{Number: n, Login: "bobbin", Bot: true, Text: asked.Body})
	for _, c := range asked.Comments {
		beside, _ := c[line].(float64)
		path, _ := c["path"].(string)
		text, _ := c["body"].(string)
		s.Say(Comment{Number: n, Login: "bobbin", Bot: true, Text: text, Path: path, Line: int(beside)})
	}
	show(w, r, map[string]any{"id": n})
}

// takeNote stores a note as the comment of bobbin.
func (g gitLab) takeNote(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Body string }
	readBody(r, &asked)
	n, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if _, known := g.pull(r.PathValue("number")); !known || err != nil || asked.Body == "" {
		answer(w, http.StatusNotFound, "404 Not found")
		return
	}
	g.Say(Comment{Number: n, Login: "bobbin", Bot: true, Text: asked.Body})
	show(w, r, map[string]any{"id": n})
}

// Comments returns all comments, oldest first.
func (s *Server) Comments() []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.comments)
}
