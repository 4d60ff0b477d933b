package packages

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/lfs"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits for the objects of Git LFS of one commit.
const (
	maxLFSObject = 2 << 30 // bytes of one
	maxLFSBytes  = 4 << 30 // of all together
)

// Names in the folder of a repository's packages. Objects are in lfsDir by their OID.
const (
	lfsDir     = "lfs"
	lfsObjects = "objects"
	lfsFolders = "folders" // those of which all files are objects, by a hash of them
)

// An lfsRun fetches the objects of one commit.
type lfsRun struct {
	fetcher *Fetcher
	job     Job
	root    *os.Root // of the folder with the objects
	found   git.LFS

	mu     sync.Mutex
	login  remote.Credential // that was sent last
	failed map[string]*lfs.Failure

	hidden []git.LFSFile // that are there, but are not shown, since there are too many
}

// fetchLFS adds the files of the job's commit that Git LFS keeps to the packages. Those whose content cannot
// be had are in Missing.
func (f *Fetcher) fetchLFS(ctx context.Context, j Job, all *Packages) error {
	found, err := j.Commits.LFS(ctx, j.Commit)
	if err != nil || len(found.Files) == 0 {
		return err
	}
	set, err := openLFS(ctx, filepath.Join(j.Dir, lfsDir), found.Files)
	if err != nil {
		return err
	}
	run := &lfsRun{fetcher: f, job: j, found: found, failed: map[string]*lfs.Failure{}}
	if run.root, err = os.OpenRoot(set.dir); err == nil {
		defer run.root.Close()
		err = run.fetchMissing(ctx)
	}
	if err != nil {
		set.held.Release()
		return err
	}
	set.takeObjects(run.root, found.Files)
	if err := run.groupFolders(ctx, set); err != nil {
		set.held.Release()
		return err
	}
	all.Missing = append(all.Missing, run.missing()...)
	if len(set.lfs) == 0 {
		set.held.Release()
		return nil
	}
	all.sets = append(all.sets, set)
	return nil
}

// openLFS opens the folder of a repository's objects, and locks it against removal. If it has too many
// objects, and nobody else uses it, those that are not in files are removed first.
func openLFS(ctx context.Context, dir string, files []git.LFSFile) (*packageSet, error) {
	for {
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		if err := pruneLFS(dir, files); err != nil {
			return nil, err
		}
		held, err := disk.Shared(ctx, dir+".lock")
		if err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		if held.Current() {
			if err := os.MkdirAll(filepath.Join(dir, lfsObjects), 0o755); err != nil {
				held.Release()
				return nil, fmt.Errorf("setup: %w", err)
			}
			held.Touch()
			return &packageSet{dir: dir, held: held}, nil
		}
		held.Release()
	}
}

// pruneLFS removes objects that are not in files, and what an interrupted fetch left, if the folder has more
// than it may and nobody uses it.
func pruneLFS(dir string, files []git.LFSFile) error {
	if disk.DiskUse(dir) <= maxLFSBytes {
		return nil
	}
	held, err := disk.TryExclusive(dir + ".lock")
	if held == nil || err != nil {
		return err
	}
	defer held.Release()
	if err := disk.RemoveFolder(filepath.Join(dir, lfsFolders)); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	leftovers, _ := filepath.Glob(filepath.Join(dir, makingPrefix+"*"))
	for _, file := range leftovers {
		_ = os.Remove(file) // what stays is removed with the folder
	}
	entries, err := os.ReadDir(filepath.Join(dir, lfsObjects))
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(files, func(f git.LFSFile) bool { return objectName(f) == e.Name() }) {
			if err := os.Remove(filepath.Join(dir, lfsObjects, e.Name())); err != nil {
				return fmt.Errorf("setup: %w", err)
			}
		}
	}
	return nil
}

// objectName returns the name of the file with the content of f in the folder of objects. A program has a
// file of its own, since its mode differs.
func objectName(f git.LFSFile) string {
	if f.Executable {
		return f.OID + "-x"
	}
	return f.OID
}

// hasObject reports whether the content of a file is there.
func hasObject(root *os.Root, f git.LFSFile) bool {
	info, err := root.Lstat(path.Join(lfsObjects, objectName(f)))
	return err == nil && info.Mode().IsRegular() && info.Size() == f.Size
}

// takeObjects takes the files whose content is there into the set.
func (s *packageSet) takeObjects(root *os.Root, files []git.LFSFile) {
	key := sha256.New()
	for _, f := range files {
		if hasObject(root, f) {
			s.lfs = append(s.lfs, f)
			fmt.Fprintf(key, "%s %s\n", f.OID, f.Path)
		}
	}
	s.key = lfsDir + hex.EncodeToString(key.Sum(nil)[:8])
}

// fetchMissing fetches the objects that are not there.
func (r *lfsRun) fetchMissing(ctx context.Context) error {
	wanted := r.wanted()
	if len(wanted) == 0 {
		return nil
	}
	if local := r.localObjects(); local != nil {
		defer local.Close()
		return r.copyLocal(ctx, local, wanted)
	}
	client, problem := r.client()
	if problem != nil {
		for _, f := range wanted {
			r.fail(f.OID, problem)
		}
		return nil
	}
	defer client.Close()
	limit := cmp.Or(r.job.Config.Time, defaultTime)
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r.fetcher.log().Info("setup: fetch objects of Git LFS", "repository", r.job.Commits.Repository,
		"server", client.Server.Redacted(), "objects", len(wanted))
	var objects []lfs.Object
	for _, f := range wanted {
		objects = append(objects, lfs.Object{OID: f.OID, Size: f.Size})
	}
	err := client.Fetch(inner, objects, r.save, func(o lfs.Object, why *lfs.Failure) { r.fail(o.OID, why) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.failRest(wanted, &lfs.Failure{
			Host: client.Server.Hostname(), Why: "there was no time left",
			Cure: "`setup.minutes` in the configuration allows more",
		})
		return nil
	}
	return err
}

// wanted returns a file for each object that is to be fetched, small ones first. Those that are too large
// are failed.
func (r *lfsRun) wanted() (wanted []git.LFSFile) {
	var sum int64
	seen := map[string]bool{}
	for _, f := range r.found.Files {
		if hasObject(r.root, f) {
			sum += f.Size
		} else if !seen[f.OID] {
			seen[f.OID] = true
			wanted = append(wanted, f)
		}
	}
	slices.SortStableFunc(wanted, func(a, b git.LFSFile) int { return cmp.Compare(a.Size, b.Size) })
	return slices.DeleteFunc(wanted, func(f git.LFSFile) bool {
		const cure = "only people can make do with less"
		most := cmp.Or(r.fetcher.lfsBytes, maxLFSBytes)
		if sum += f.Size; sum <= most && f.Size <= maxLFSObject {
			return false
		}
		sum -= f.Size
		why := "all together are more than " + gigabytes(most)
		if each := min(maxLFSObject, most); f.Size > each {
			why = "more than " + gigabytes(each) + " each"
		}
		r.fail(f.OID, &lfs.Failure{Why: why, Cure: cure})
		return true
	})
}

// gigabytes returns a size for people.
func gigabytes(n int64) string {
	if n < 1<<30 {
		return plaintext.FormatSize(n)
	}
	return fmt.Sprintf("%d GB", n>>30)
}

func (r *lfsRun) fail(oid string, why *lfs.Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hidden := *why
	hidden.Why = r.login.HideIn(why.Why)
	r.failed[oid] = &hidden
}

// failRest fails the objects that are neither there nor failed.
func (r *lfsRun) failRest(wanted []git.LFSFile, why *lfs.Failure) {
	for _, f := range wanted {
		r.mu.Lock()
		known := r.failed[f.OID] != nil
		r.mu.Unlock()
		if !known && !hasObject(r.root, f) {
			r.fail(f.OID, why)
		}
	}
}

// save stores the content of an object, for each of the files that have it.
func (r *lfsRun) save(o lfs.Object, content io.Reader) error {
	temporary := makingPrefix + rand.Text()
	var plain, program bool
	for _, f := range r.found.Files {
		plain = plain || f.OID == o.OID && !f.Executable
		program = program || f.OID == o.OID && f.Executable
	}
	first := git.LFSFile{OID: o.OID, Size: o.Size, Executable: !plain}
	mode := os.FileMode(0o444)
	if !plain {
		mode = 0o555
	}
	name := path.Join(lfsObjects, objectName(first))
	if err := lfs.Store(r.root, temporary, name, content, mode); err != nil || !program || !plain {
		return err
	}
	same, err := r.root.Open(name)
	if err != nil {
		return err
	}
	defer same.Close()
	return lfs.Store(r.root, temporary, name+"-x", same, 0o555)
}

// localObjects returns the folder of objects of a repository that is a folder of this machine, or nil.
func (r *lfsRun) localObjects() *os.Root {
	dir, local := strings.CutPrefix(r.job.Remote.URL, "file://")
	if !local && !filepath.IsAbs(dir) {
		return nil
	}
	for _, at := range []string{".git/lfs/objects", "lfs/objects"} {
		if root, err := os.OpenRoot(filepath.Join(dir, filepath.FromSlash(at))); err == nil {
			return root
		}
	}
	return nil
}

// copyLocal copies objects from a folder of this machine.
func (r *lfsRun) copyLocal(ctx context.Context, from *os.Root, wanted []git.LFSFile) error {
	for _, f := range wanted {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := lfs.Object{OID: f.OID, Size: f.Size}
		file, err := from.Open(path.Join(f.OID[:2], f.OID[2:4], f.OID))
		if err == nil {
			err = r.save(o, lfs.Verify(o, file))
			file.Close()
		}
		if err != nil {
			r.fail(f.OID, &lfs.Failure{
				Why: "the folder of the repository does not have them", Cure: "run git lfs pull there",
			})
		}
	}
	return nil
}

// client returns a client for the server of the objects, or why there is none.
func (r *lfsRun) client() (*lfs.Client, *lfs.Failure) {
	at, own, refused := r.found.Server(r.job.Remote)
	if refused != "" {
		problem := &lfs.Failure{Why: refused, Cure: "give the repository an https address with a token"}
		if at != nil {
			problem.Host = at.Hostname()
		}
		return nil, problem
	}
	c := r.job.Config
	client := &lfs.Client{
		Server: at, Own: own, Roots: r.fetcher.Roots, Silence: r.fetcher.silence,
		Dial: func(ctx context.Context, host string, port uint16) (net.Conn, error) {
			return proxy.DialPublic(ctx, proxy.Config{
				Private:      c.privateHosts(nil, nil),
				BlockedHosts: r.fetcher.BlockedHosts,
				Network:      r.fetcher.Network,
			}, strings.ToLower(host), port)
		},
	}
	if own {
		client.Login = r.ownLogin(at)
		return client, nil
	}
	target := strings.ToLower(at.Host)
	login := slices.IndexFunc(c.Logins, func(l proxy.Login) bool {
		return !l.IsPlain() && strings.TrimSuffix(l.Target(), ":443") == strings.TrimSuffix(target, ":443")
	})
	switch {
	case at.Scheme != "https" || login < 0 && !slices.Contains(c.Allow, target):
		return nil, &lfs.Failure{
			Host: at.Hostname(),
			Why:  "lfs.url of `.lfsconfig` names another host than the repository's, which is not asked",
			Cure: "if that is meant, `setup: {auth: [{host: " + target +
				", token_env: NAME_OF_A_VARIABLE}]}` in the configuration",
		}
	case login < 0:
		client.Login = func(context.Context) (string, string, error) { return "", "", nil }
	default:
		client.Login = r.loginOf(c.Logins[login])
	}
	return client, nil
}

// ownLogin returns the login at the host of the repository: its own credential.
func (r *lfsRun) ownLogin(at *url.URL) func(context.Context) (header, name string, err error) {
	return func(ctx context.Context) (string, string, error) {
		of := r.job.Remote
		u, err := url.Parse(of.URL)
		if err != nil {
			return "", "", errors.New("its address cannot be read")
		}
		c, err := of.Credential(ctx, remote.Read)
		if err != nil {
			return "", "", err
		}
		user := remote.BasicUser
		if password, has := u.User.Password(); has && c.Password == "" {
			user = u.User.Username()
			c = remote.Credential{Password: remote.Secret(password), Name: "the password of its address"}
		}
		if c.Password == "" {
			return "", "", nil
		}
		if ip := net.ParseIP(at.Hostname()); at.Scheme != "https" &&
			at.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "", "", errors.New("a token is not sent over plain http")
		}
		return r.basic(user, c), c.Name, nil
	}
}

// loginOf returns the login that the configuration has for another host.
func (r *lfsRun) loginOf(l proxy.Login) func(context.Context) (header, name string, err error) {
	return func(context.Context) (string, string, error) {
		c := remote.Credential{Password: l.Token, Name: l.Name}
		return r.basic(cmp.Or(l.User, remote.BasicUser), c), l.Name, nil
	}
}

func (r *lfsRun) basic(user string, c remote.Credential) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.login = c
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(c.Password)))
}

// missing returns what people are told of the files whose content is not there: one for each reason.
func (r *lfsRun) missing() (all []Missing) {
	for _, f := range r.found.Files {
		if hasObject(r.root, f) {
			continue
		}
		why := r.failed[f.OID]
		if why == nil { // a content whose file is gone
			why = &lfs.Failure{Why: "it is not there"}
		}
		i := slices.IndexFunc(all, func(m Missing) bool { return m.Host == why.Host && m.Why == why.Why })
		if i < 0 {
			i = len(all)
			all = append(all, Missing{
				Names: ".gitattributes", Host: why.Host, Why: why.Why, Cure: why.Cure, LFSExample: f.Path,
			})
		}
		all[i].LFSFiles++
		all[i].lfsPaths = append(all[i].lfsPaths, f.Path)
	}
	if len(r.hidden) > 0 {
		all = append(all, Missing{
			Names: ".gitattributes", LFSFiles: len(r.hidden), LFSExample: r.hidden[0].Path,
			Why: fmt.Sprintf("commands see %d files and folders of them at most",
				cmp.Or(r.fetcher.lfsShown, maxLFSMounts)),
			Cure: "a folder in which LFS keeps all files is seen as one; only people can move them",
		})
		for _, f := range r.hidden {
			last := &all[len(all)-1]
			last.lfsPaths = append(last.lfsPaths, f.Path)
		}
	}
	if r.found.More > 0 {
		all = append(all, Missing{
			Names: ".gitattributes", LFSFiles: r.found.More, LFSExample: r.found.Next,
			Why: fmt.Sprintf("%d files are fetched at most", git.MaxLFSFiles),
		})
	}
	return all
}

// LFSFiles returns the number of files whose content was fetched from Git LFS, their bytes, and the path of
// one.
func (p *Packages) LFSFiles() (n int, bytes int64, example string) {
	if p == nil {
		return 0, 0, ""
	}
	for _, s := range p.sets {
		for _, f := range s.lfs {
			n++
			bytes += f.Size
			example = cmp.Or(example, f.Path)
		}
	}
	return n, bytes, example
}
