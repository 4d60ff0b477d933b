// Package extract turns files that people attach into text: logs and other text in any usual encoding, JSON
// lines, HAR files, office documents, and what is in gzip, zip and tar. PDF is not read: of the libraries in
// Go that are kept, pdfcpu gives no text, and the forks of rsc.io/pdf hang or panic on files that are not
// well-formed.
//
// Whatever it reads was written by others. So everything is streamed within Limits: nothing is written to a
// path that a file names, links in archives are not followed, no entity of XML is expanded, and a file that
// unpacks to far more than its size is given up. What was not read is told with its reason. The text is valid
// UTF-8 without NUL. Its secrets are still in it, except for those of HAR files: the caller masks them.
package extract
