package slacktest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
)

// Config.File is a journal: each line is a kept, and is laid over those before it. A line is
// written before anybody can see what it tells, whoever asks and however the program ends. A
// power cut may take the last ones.

// stateFile is an open Config.File. Guarded by Server.mu; all of its methods do for nil.
type stateFile struct {
	out     *os.File
	touched map[string]*Message // changed since the last line, by channel and ts
	written map[string]string   // by id, how all else stands in the file
	size    int                 // of what was written since the file was made anew
	most    int                 // the size from which on it is made anew
	broken  bool                // it could not be written, which was said
}

// lock is the mutex that guards a server. What changed under it is in the file before it opens.
type lock struct {
	sync.Mutex
	leave func() // nil: there is no file
}

// Unlock opens it.
func (l *lock) Unlock() {
	if l.leave != nil {
		l.leave()
	}
	l.Mutex.Unlock()
}

// journal is what a Config.File holds.
type journal []kept

// readFile reads it. A last line that was cut off is no line; no file is an empty one.
func readFile(name string) (lines journal, err error) {
	if name == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("slacktest: %w", err)
	}
	for number, line := range bytes.SplitAfter(raw, []byte("\n")) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var k kept
		if err := json.Unmarshal(line, &k); err != nil {
			return nil, fmt.Errorf("slacktest: %s: line %d is none of a workspace: %w", name, number+1, err)
		}
		lines = append(lines, k)
	}
	return lines, nil
}

// listen listens where the workspace did before, unless another address is wanted, or somebody
// else has that one now: then it gives nil.
func (j journal) listen(wanted string) net.Listener {
	if address := j.address(); address != "" && wanted == "" {
		if l, err := net.Listen("tcp", address); err == nil {
			return l
		}
	}
	return nil
}

func (j journal) address() (last string) {
	for _, k := range j {
		last = cmp.Or(k.Address, last)
	}
	return last
}

// goOn goes on from what was written, and writes from now on.
func (s *Server) goOn(lines journal) error {
	if s.cfg.File == "" {
		return nil
	}
	for _, k := range lines {
		s.lay(k)
	}
	s.move("http://"+lines.address()+"/", s.base()+"/")
	s.file = &stateFile{}
	if err := s.rewrite(); err != nil {
		return err
	}
	for _, d := range sorted(s.socket.events) { // those that the app has not taken
		s.deliver(d)
	}
	s.mu.leave = s.save
	return nil
}

// move changes the addresses of files after the server has moved.
func (s *Server) move(from, to string) {
	for _, u := range s.state.uploads {
		u.URL = strings.Replace(u.URL, from, to, 1)
	}
	for _, list := range s.state.messages {
		for _, m := range list {
			for i := range m.Files {
				m.Files[i].URL = strings.Replace(m.Files[i].URL, from, to, 1)
			}
		}
	}
}

// rewrite makes the file anew: one line with all that there is. Until it is in its place the
// former one stays.
func (s *Server) rewrite() error {
	f := s.file
	fresh, err := os.OpenFile(s.cfg.File+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("slacktest: keep the workspace: %w", err)
	}
	former := f.out
	*f = stateFile{out: fresh, written: map[string]string{}, touched: map[string]*Message{}}
	for _, list := range s.state.messages {
		for _, m := range list {
			f.touch(m)
		}
	}
	k := s.changes()
	app := s.state.app
	k.App, k.Address = &app, s.listener.Addr().String()
	err = f.append(k)
	if err == nil {
		err = os.Rename(fresh.Name(), s.cfg.File)
	}
	if former != nil {
		former.Close()
	}
	f.most = 2*f.size + 4<<20
	return err
}

// save writes a line about what changed since the last. The caller holds mu.
func (s *Server) save() {
	f := s.file
	if f == nil || f.broken {
		return
	}
	k := s.changes()
	if k == nil {
		return
	}
	err := f.append(k)
	if err == nil && f.size > f.most {
		err = s.rewrite()
	}
	if err != nil {
		f.broken = true
		s.cfg.Log.Error("the workspace cannot be kept: what happens from now on is forgotten with the program", "file", s.cfg.File, "err", err)
	}
}

func (f *stateFile) append(k *kept) error {
	line, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("slacktest: keep the workspace: %w", err)
	}
	n, err := f.out.Write(append(line, '\n'))
	f.size += n
	return err
}

// touch notes that a message has changed, or is gone.
func (f *stateFile) touch(m *Message) {
	if f != nil {
		f.touched[m.Channel+"/"+m.TS] = m
	}
}

func (f *stateFile) close() {
	if f != nil {
		f.out.Close()
	}
}

// changes is what stands otherwise in the file; nil: nothing.
func (s *Server) changes() *kept {
	st, f := &s.state, s.file
	k, now := &kept{LastTS: st.lastTS, Serial: st.serial}, map[string]string{}
	k.Users = differing(f, now, sorted(st.users), func(u *User) string { return u.ID })
	k.Channels = differing(f, now, sorted(st.channels), func(ch *Channel) string { return ch.ID })
	k.Groups = differing(f, now, sorted(st.groups), func(g *UserGroup) string { return g.ID })
	var views []keptView
	for _, v := range sorted(st.views) {
		if v.Open {
			views = append(views, keptView{*v, v.fields, v.hash, v.root, v.above})
		}
	}
	k.Views = differing(f, now, views, func(v keptView) string { return v.ID })
	var files []File
	for _, u := range sorted(st.uploads) {
		if u.done {
			files = append(files, u.File)
		}
	}
	for _, changed := range differing(f, now, files, func(f File) string { return f.ID }) {
		k.Files = append(k.Files, keptFile{changed, st.uploads[changed.ID].content})
	}
	for id, d := range s.untaken() {
		if now[id] = "sent"; f.written[id] == "" {
			k.Events = append(k.Events, keptEvent{d.eventID, d.eventType, d.payload})
		}
	}
	for id := range f.written {
		if now[id] == "" {
			k.Gone = append(k.Gone, id)
		}
	}
	for id, m := range f.touched {
		if st.message(m.Channel, m.TS) == nil {
			k.Gone = append(k.Gone, id)
		} else {
			k.Messages = append(k.Messages, keptMessage{*m, m.clientMsgID})
		}
	}
	slices.SortFunc(k.Messages, func(a, b keptMessage) int { return cmp.Compare(a.TS, b.TS) })
	f.written, f.touched = now, map[string]*Message{}
	if len(k.Users)+len(k.Channels)+len(k.Groups)+len(k.Messages)+len(k.Views)+len(k.Files)+len(k.Events)+len(k.Gone) == 0 {
		return nil
	}
	return k
}

// untaken are the events that the app has not acknowledged, and that were not given up.
func (s *Server) untaken() map[string]*delivery {
	list := map[string]*delivery{}
	for _, d := range s.socket.open {
		if d.again() {
			list[d.eventID] = d
		}
	}
	return list
}

// differing are those that do not stand in the file as they are now.
func differing[T any](f *stateFile, now map[string]string, all []T, id func(T) string) (list []T) {
	for _, one := range all {
		raw, err := json.Marshal(one)
		if now[id(one)] = string(raw); err != nil || f.written[id(one)] != string(raw) {
			list = append(list, one)
		}
	}
	return list
}
