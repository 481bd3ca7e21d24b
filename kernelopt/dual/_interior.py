"""A primal-dual interior point for one dual problem: twenty-odd Cholesky factorisations, whatever the conditioning."""
