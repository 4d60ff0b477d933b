package slacktest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// downloadMethod is the name of a file's download in Requests and in a Fault. It has its own address and is
// not a method of Slack's API.
const downloadMethod = "files-pri"

// Share writes a message with text files of the given names, into a thread unless threadTS is empty.
func (s *Server) Share(channel, user, text, threadTS string, names ...string) (ts string, err error) {
	var files []Upload
	for _, name := range names {
		files = append(files, Upload{
			File:    File{Name: name, Filetype: "txt", Mimetype: "text/plain"},
			Content: "what " + name + " holds\n",
		})
	}
	return s.Attach(channel, user, text, threadTS, files...)
}

// An Upload is a file that a person attaches. Empty fields of File are filled in. A Size that is set is
// reported as the file's size, whatever the length of Content.
type Upload struct {
	File
	Content string
}

// Attach writes a message with files, into a thread unless threadTS is empty. The app may read them with
// its token and the scope files:read.
func (s *Server) Attach(channel, user, text, threadTS string, files ...Upload) (ts string, err error) {
	return s.says(channel, user, text, threadTS, func(m *Message) {
		for _, f := range files {
			m.Files = append(m.Files, s.keepFile(f, user))
		}
	})
}

// keepFile adds a file to the workspace. The caller holds mu.
func (s *Server) keepFile(f Upload, user string) File {
	kind := strings.TrimPrefix(path.Ext(f.Name), ".")
	orElse(&f.ID, s.state.id("F"))
	orElse(&f.Title, f.Name)
	orElse(&f.Filetype, kind)
	orElse(&f.Mimetype, mimetype(kind))
	orElse(&f.Size, len(f.Content))
	orElse(&f.User, user)
	orElse(&f.Created, s.cfg.Now().Unix())
	if f.External == "" {
		orElse(&f.URL, fmt.Sprintf("%s/%s/%s-%s/download/%s", s.base(), downloadMethod, s.state.app.TeamID,
			f.ID, url.PathEscape(path.Base(f.Name))))
	}
	s.state.uploads[f.ID] = &upload{File: f.File, content: []byte(f.Content), sent: true, done: true}
	return f.File
}

// Forward shares a message of the channel in another place of the same channel, as "Forward" does: its text
// becomes an attachment, with its blocks and files.
func (s *Server) Forward(channel, user, text, threadTS, ts string) (shared string, err error) {
	return s.says(channel, user, text, threadTS, func(m *Message) {
		original := s.state.message(s.state.channel(channel).ID, ts)
		if original == nil {
			return
		}
		author := ""
		if u := s.state.users[original.User]; u != nil {
			author = u.Name
		}
		a := object{
			"is_msg_unfurl": true,
			"is_share":      true,
			"id":            1,
			"ts":            original.TS,
			"channel_id":    original.Channel,
			"author_id":     original.User,
			"author_name":   author,
			"text":          original.Text,
			"fallback":      "[" + original.TS + "] " + author + ": " + original.Text,
			"from_url":      s.permalink(original),
			"footer":        "Posted in #" + s.state.channel(channel).Name,
		}
		if len(original.Blocks) > 0 {
			a["message_blocks"] = []object{{
				"team":    s.state.app.TeamID,
				"channel": original.Channel,
				"ts":      original.TS,
				"message": object{"blocks": original.Blocks},
			}}
		}
		if len(original.Files) > 0 {
			a["files"] = wireFiles(original.Files)
		}
		m.Attachments = mustJSON([]object{a})
	})
}

// DeleteFile deletes a file; the messages that share it stay.
func (s *Server) DeleteFile(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.state.uploads[id]
	if u == nil {
		return fmt.Errorf("slacktest: no file %q", id)
	}
	delete(s.state.uploads, id)
	for _, list := range s.state.messages {
		for _, m := range list {
			for i := range m.Files {
				if m.Files[i].ID == id {
					m.Files[i] = File{ID: id, Mode: "tombstone"}
					s.file.touch(m)
				}
			}
		}
	}
	return nil
}

func (s *Server) filesInfo(c *call) (object, error) {
	u := s.state.uploads[c.get("file")]
	if u == nil || !u.done {
		return nil, fail("file_not_found")
	}
	if u.Transcript != nil {
		u.Transcript.Looks = max(u.Transcript.Looks-1, 0)
	}
	return object{
		"file":     wireFile(u.File),
		"comments": []object{},
		"paging":   object{"count": 100, "total": 0, "page": 1, "pages": 0},
	}, nil
}

// serveDownload sends a file's content to a client with the bot token. A client without it is redirected to
// the sign-in page; a token without the scope gets that page directly, with status 200.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	id := path.Base(strings.TrimSuffix(r.URL.Path, "/download/"+path.Base(r.URL.Path)))
	_, id, _ = strings.Cut(id, "-")
	c := &call{method: downloadMethod, args: map[string][]string{"file": {id}}, id: newUUID()}
	c.token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	fault := s.arrive(c)
	if !s.pause(r, fault.Latency) {
		return
	}
	if fault.Status != 0 || fault.Error != "" {
		s.answerFault(w, c, fault)
		return
	}
	s.settle(c, http.StatusOK, nil, false)
	s.mu.Lock()
	u := s.state.uploads[id]
	known := c.token == s.cfg.BotToken
	may := slices.Contains(s.scopes(), "files:read")
	s.mu.Unlock()
	switch {
	case !known:
		http.Redirect(w, r, "/signin?redir="+url.QueryEscape(r.URL.Path), http.StatusFound)
	case !may:
		serveSignIn(w, r)
	case u == nil || !u.done:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w,
			"<!DOCTYPE html><html><head><title>File not found | Slack</title></head></html>")
	default:
		w.Header().Set("Content-Type", u.Mimetype)
		_, _ = w.Write(u.content)
	}
}

func serveSignIn(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body><form `+
		`action="/signin" method="post">Sign in to your workspace</form></body></html>`)
}
