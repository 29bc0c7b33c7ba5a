"""Searches with other libraries, for the program beside this file, which sends a line for each search
and reads a line with the time and what was found.

    one PEER QUERY        the ten nearest rows of one query
    batch PEER COUNT      those of the first COUNT queries

The answer is the milliseconds, and for "one" the rows, nearest first. Threads are those that suit the
peer: one for a single query, which faiss splits badly, and both numbers for batches.
"""
import ctypes
import glob
import os
import sys
import time

import faiss
import numpy as np

K = 10


def blas_threads(count):
    for path in glob.glob(os.environ["PEERS_BLAS"]):
        ctypes.CDLL(path).openblas_set_num_threads(count)


def panorama(rows):
    """Faiss's own exact pruner, with the rotation it wants."""
    dim = rows.shape[1]
    pca = faiss.PCAMatrix(dim, dim)
    pca.train(rows[:: max(1, len(rows) // 20000)])
    index = faiss.IndexPreTransform(pca, faiss.IndexFlatL2Panorama(dim, 8))
    index.add(rows)
    return lambda queries, k: index.search(queries, k)[1]


def flat(rows):
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    return lambda queries, k: index.search(queries, k)[1]


def numpy_search(rows):
    norms = np.einsum("ij,ij->i", rows, rows)

    def search(queries, k):
        distances = norms - 2 * (queries @ rows.T)
        best = np.argpartition(distances, k, axis=1)[:, :k]
        order = np.argsort(np.take_along_axis(distances, best, 1), axis=1)
        return np.take_along_axis(best, order, 1)

    return search


def main():
    path, dim, count, queries, names = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5].split(",")
    data = np.fromfile(path, dtype=np.float32).reshape(-1, dim)
    rows, asked = data[:count], data[count : count + queries].copy()
    makers = {"faiss flat": flat, "faiss Panorama": panorama, "numpy": numpy_search}
    peers = {name: makers[name](rows) for name in names}
    if "numpy" not in names:
        del rows, data
    print(f"faiss {faiss.__version__} ({faiss.get_compile_options().strip()}), numpy {np.__version__}", flush=True)
    for line in sys.stdin:
        kind, name, number = line.rstrip("\n").split("\t")
        search, number = peers[name], int(number)
        if kind == "one":
            faiss.omp_set_num_threads(1)
            blas_threads(1)
            start = time.perf_counter()
            found = search(asked[number : number + 1], K)[0]
            print((time.perf_counter() - start) * 1000, *found, sep="\t", flush=True)
            continue
        times = []
        for threads in (1, os.cpu_count()):
            faiss.omp_set_num_threads(threads)
            blas_threads(threads)
            start = time.perf_counter()
            search(asked[:number], K)
            times.append((time.perf_counter() - start) * 1000)
        print(min(times), flush=True)


main()
