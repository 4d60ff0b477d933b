package tool

import (
	"crypto/sha256"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// sightings are the files that the model has seen, by path.
type sightings struct {
	mu    sync.Mutex // guards files
	files map[string]sighting
}

// A sighting is a file as the model last saw it.
type sighting struct {
	hash   [sha256.Size]byte
	misses int // edits since then whose old text was not in the file
}

// remember records that the model knows the file with this content.
func (s *sightings) remember(path string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]sighting{}
	}
	s.files[path] = sighting{hash: sha256.Sum256(content)}
}

func (s *sightings) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, path)
}

// knows returns nil if the model has seen the file as it is now.
func (s *sightings) knows(path string, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	switch {
	case !ok:
		return model.Mistakef("%s has to be read before it is changed: call read_file, then try again.",
			plaintext.QuotePath(path))
	case f.hash != sha256.Sum256(content):
		return model.Mistakef("%s has changed since it was read: call read_file again, "+
			"then redo the change on what is there now.", plaintext.QuotePath(path))
	}
	return nil
}

// missed counts an edit whose old text was not in the file. After the second miss the file has to be read
// again, because a model that guesses gets worse with every guess.
func (s *sightings) missed(path string) (readAgain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	if !ok {
		return false
	}
	if f.misses++; f.misses >= 2 {
		delete(s.files, path)
		return true
	}
	s.files[path] = f
	return false
}
