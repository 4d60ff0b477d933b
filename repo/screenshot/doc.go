// Package screenshot takes pictures of a repository's own pages, with a Chromium that runs in the
// sandbox, and says which pages a change shows on.
//
// The browser has no network and no file of the repository. Whatever it asks for is answered by this
// program (site.go), over the pipe that also steers it (browser.go): a page is found at its path, what
// it asks for by an absolute address is found in its folder or in one above, and what lies elsewhere is
// refused. Time stands still for a page but for a budget, and its clock begins at the same moment each
// time, so that the same files give the same picture.
//
// Size, time and memory are bounded. A page that does not come to rest is an *Unshown with the reason in
// words, as is a machine without a browser; other errors are failures of this machine.
package screenshot
