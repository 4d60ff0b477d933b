// Package screenshot takes pictures of a repository's own pages, with a Chromium in the sandbox, and finds
// the pages on which a change can be seen.
//
// The browser has no network and no file of the repository. This program answers all its requests
// (site.go), over the pipe that also controls it (browser.go): a page is found at its path, a file with an
// absolute address is searched in the page's folder and the folders above it, and other addresses are
// refused. A page gets a fixed budget of virtual time, and its clock always starts at the same moment, so
// the same files give the same picture.
//
// Size, time and memory are limited. A page that does not come to rest, or a machine without a browser, is
// a *NoPictureError with the reason in words; other errors are failures of this machine.
package screenshot
