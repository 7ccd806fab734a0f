// mpirun -n 2 mpi_messages: what a message and a sum over all processes cost, as JSON.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

int rank = 0;

/// Seconds for one message there, as the median of several rounds of there and back.
double one_way(int bytes, int times) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  std::vector<double> rounds;
  for (int round = 0; round < 15; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times && rank < 2; ++i) {
      const bool sends = rank == 0;
      for (const bool there : {true, false})
        if (sends == there)
          MPI_Send(data.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        else
          MPI_Recv(data.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    rounds.push_back((MPI_Wtime() - begin) / (2.0 * times));
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

double one_sum(int times) {
  std::vector<double> rounds;
  for (int round = 0; round < 15; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
      double value = rank;
      MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    rounds.push_back((MPI_Wtime() - begin) / times);
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[rounds.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  if (count < 2) {
    std::fprintf(stderr, "mpi_messages: found 1 process, expected 2 or more: mpirun -n 2 …\n");
    MPI_Finalize();
    return 2;
  }
  constexpr int small = 8, large = 1 << 22;
  const double latency = one_way(small, 200), long_one = one_way(large, 5), sum = one_sum(200);
  if (rank == 0)
    std::printf("{\"processes\": %d, \"latency\": %.3g, \"bandwidth\": %.4g, \"sum\": %.3g}\n",
                count, latency, large / (long_one - latency), sum);
  MPI_Finalize();
}
