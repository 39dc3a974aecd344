// Package dataset reads public data sets from a folder, checks and downloads
// them, and divides them among parties: MNIST, Fashion-MNIST, CIFAR-10 and
// MovieLens 1M, and generated images for where data are absent. It holds no
// data itself, learns nothing from them, and never reads the environment: the
// folder is an argument.
//
// A folder has a subfolder for each set, named as the set is, and every file
// may be plain or compressed with gzip (".gz" after its name; of the two the
// plain one is read). Checksums in the registry are those of the plain
// contents, so that both forms are recognised and have one Digest.
package dataset
